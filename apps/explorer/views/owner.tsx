import { useQuery } from '@tanstack/react-query';
import { ACCOUNT_COLUMNS, SIGNATURE_COLUMNS, TOKEN_ACCOUNT_COLUMNS } from '../parts/columns';
import { PagedTable } from '../parts/paged-table';
import { Loaded } from '../parts/states';
import { Fields, Key } from '../parts/values';
import { getBalance } from '../rpc/methods';
import { type Route } from '../routes';
import { formatInteger, formatSol } from '../values/format';

/** What a wallet or program owns, and its history. */
export function OwnerView({ route }: { route: Route }) {
  const owner = route.subject;
  const balance = useQuery({ queryKey: ['balance', owner], queryFn: () => getBalance(owner) });
  return (
    <>
      <p>What the compressed accounts of a wallet or program hold. Accounts on the chain are not part of it.</p>
      <Fields
        fields={{
          Owner: <Key text={owner} name="owner" />,
          'Compressed SOL': <Loaded query={balance}>{(lamports) => formatSol(lamports)}</Loaded>,
        }}
      />
      <PagedTable
        title="Token balances"
        empty="No compressed tokens."
        method="getCompressedTokenBalancesByOwnerV2"
        subject={{ owner }}
        route={route}
        option="balances"
        keyOf={({ mint }) => mint}
        columns={[
          { name: 'Mint', show: ({ mint }) => <Key text={mint} name="mint" view="mint" isShort /> },
          { name: 'Balance, in the smallest unit', isNumber: true, show: (item) => formatInteger(item.balance) },
        ]}
      />
      <PagedTable
        title="Token accounts"
        empty="No open account with tokens."
        method="getCompressedTokenAccountsByOwnerV2"
        subject={{ owner }}
        route={route}
        option="tokens"
        keyOf={({ account }) => account.hash}
        columns={TOKEN_ACCOUNT_COLUMNS}
      />
      <PagedTable
        title="Other accounts"
        empty="No other open accounts."
        method="getCompressedAccountsByOwnerV2"
        subject={{ owner }}
        route={route}
        option="accounts"
        keyOf={({ hash }) => hash}
        columns={ACCOUNT_COLUMNS}
      />
      <PagedTable
        title="Transactions of its token accounts"
        empty="No transaction has changed its token accounts."
        method="getCompressionSignaturesForTokenOwner"
        subject={{ owner }}
        route={route}
        option="tokenHistory"
        keyOf={({ signature }) => signature}
        columns={SIGNATURE_COLUMNS}
      />
      <PagedTable
        title="Transactions of its other accounts"
        empty="No transaction has changed its other accounts."
        method="getCompressionSignaturesForOwner"
        subject={{ owner }}
        route={route}
        option="history"
        keyOf={({ signature }) => signature}
        columns={SIGNATURE_COLUMNS}
      />
    </>
  );
}
