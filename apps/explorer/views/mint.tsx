import { HoldersChart } from '../parts/holders-chart';
import { PagedTable } from '../parts/paged-table';
import { Fields, Key } from '../parts/values';
import { type Route } from '../routes';
import { formatInteger } from '../values/format';

/** The holders of a token, largest first. */
export function MintView({ route }: { route: Route }) {
  const mint = route.subject;
  return (
    <>
      <p>
        A mint is a kind of token. Balances are in its smallest unit: how many decimals it has is in its account on the
        chain. Tokens that are not compressed are not counted.
      </p>
      <Fields fields={{ Mint: <Key text={mint} name="mint" /> }} />
      <PagedTable
        title="Holders of compressed tokens"
        method="getCompressedMintTokenHolders"
        empty="Nobody has compressed tokens of this mint."
        subject={{ mint }}
        route={route}
        keyOf={({ owner }) => owner}
        draw={(holders) => <HoldersChart holders={holders} />}
        columns={[
          { name: 'Owner', show: ({ owner }) => <Key text={owner} name="owner" view="owner" isShort /> },
          { name: 'Balance, in the smallest unit', isNumber: true, show: ({ balance }) => formatInteger(balance) },
        ]}
      />
    </>
  );
}
