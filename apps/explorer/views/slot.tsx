import { SIGNATURE_COLUMNS } from '../parts/columns';
import { PagedTable } from '../parts/paged-table';
import { type Route } from '../routes';
import { cursorBefore } from '../values/bytes';
import { formatInteger } from '../values/format';

/** The compression transactions of a slot. */
export function SlotView({ route }: { route: Route }) {
  const slot = Number(route.subject);
  if (!Number.isSafeInteger(slot) || slot < 0) return <p role="alert">This is no slot: a slot is a whole number.</p>;
  return (
    <PagedTable
      title={`Compression transactions of slot ${formatInteger(slot)}`}
      method="getLatestCompressionSignatures"
      empty="No transaction of this slot changed compressed state, or the slot is not indexed."
      subject={{}}
      route={route}
      firstCursor={cursorBefore(slot)}
      isWanted={(item) => item.slot === slot}
      keyOf={({ signature }) => signature}
      columns={SIGNATURE_COLUMNS}
    />
  );
}
