import { SIGNATURE_COLUMNS } from '../parts/columns';
import { HowItWorks } from '../parts/how-it-works';
import { LivePlot, type Point } from '../parts/live-plot';
import { Table } from '../parts/paged-table';
import { Failure } from '../parts/states';
import { useLiveIndex } from '../live';
import { formatInteger } from '../values/format';

/** What the index knows at this moment. */
export function HomeView() {
  const live = useLiveIndex();
  if (live.isPending) return <p aria-busy="true">Loading…</p>;
  const { status, transactions } = live;
  return (
    <>
      <p>
        The chain does not store compressed accounts: it stores one hash for millions of them. This index stores the
        accounts, and proves that they belong to that hash.
      </p>
      {live.error && <Failure error={live.error} retry={live.refetch} />}
      <div className="tiles">
        <Tile
          title="Indexed slot"
          value={live.slot === null ? '–' : formatInteger(live.slot)}
          points={live.slots}
          isFromZero={false}
        />
        {status && (
          <Tile
            title="Lag behind the chain"
            value={status.lagSlots === null ? 'unknown' : `${formatInteger(status.lagSlots)} slots`}
            points={live.lags}
          />
        )}
        <Tile title="Transactions a second" value={lastOf(live.rates, 1)} points={live.rates} />
        <Tile title="Time to answer" value={`${lastOf(live.latencies, 0)} ms`} points={live.latencies} />
      </div>
      <HowItWorks example={transactions.at(0)?.signature ?? null} />
      <h2>Newest compression transactions</h2>
      <p>
        <small>{live.isPushed ? 'Live: the server pushes them.' : 'Refreshed every two seconds.'}</small>
      </p>
      {transactions.length === 0 ? (
        <p className="empty">None yet.</p>
      ) : (
        <Table
          caption="Newest compression transactions"
          items={transactions}
          columns={SIGNATURE_COLUMNS}
          keyOf={({ signature }) => signature}
        />
      )}
    </>
  );
}

interface TileProps {
  title: string;
  value: string;
  points: Point[];
  isFromZero?: boolean;
}

function Tile({ title, value, points, isFromZero = true }: TileProps) {
  return (
    <article>
      <p>{title}</p>
      <p className="big">{value}</p>
      <LivePlot points={points} isFromZero={isFromZero} />
    </article>
  );
}

function lastOf(points: Point[], digits: number): string {
  const value = points.at(-1)?.value;
  return typeof value === 'number' ? value.toFixed(digits) : '–';
}
