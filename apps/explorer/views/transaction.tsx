import { type CompressionInfoV2 } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AccountFlow } from '../parts/account-flow';
import { Table } from '../parts/paged-table';
import { Loaded } from '../parts/states';
import { Copy, Fields, Key, Slot, Time } from '../parts/values';
import { getTransaction, type TransactionResult } from '../rpc/methods';
import { type Route } from '../routes';
import { formatChange, formatInteger, formatSol } from '../values/format';
import { formatJson } from '../values/json';
import { TransactionTrees } from './transaction-trees';

/** What a transaction did to compressed state. */
export function TransactionView({ route }: { route: Route }) {
  const signature = route.subject;
  const query = useQuery({ queryKey: ['transaction', signature], queryFn: () => getTransaction(signature) });
  return (
    <Loaded
      query={query}
      empty="This index has no such transaction: it is unknown, failed, not indexed yet, or did nothing with compressed accounts."
    >
      {(found) => <Details signature={signature} found={found} />}
    </Loaded>
  );
}

function Details({ signature, found }: { signature: string; found: TransactionResult }) {
  const { transaction, compressionInfo } = found;
  const fee = transaction.meta?.fee;
  return (
    <>
      <Fields
        fields={{
          Signature: <Key text={signature} name="signature" />,
          Slot: <Slot slot={transaction.slot} />,
          Time: <Time seconds={transaction.blockTime} />,
          Fee: fee === undefined ? undefined : formatSol(fee),
        }}
      />
      <h2>Accounts</h2>
      <AccountFlow {...compressionInfo} />
      <Balances {...compressionInfo} />
      <TransactionTrees found={found} />
      <Json value={found} />
    </>
  );
}

/** Written when it is opened: it can have megabytes. */
function Json({ value }: { value: unknown }) {
  const [isOpen, setIsOpen] = useState(false);
  const json = isOpen ? formatJson(value) : '';
  return (
    <details
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>Raw JSON</summary>
      <Copy text={json} name="JSON" />
      <pre className="data text" tabIndex={0} aria-label="JSON of the transaction">
        {json}
      </pre>
    </details>
  );
}

/** Sums by owner and mint, before and after. */
function Balances({ preTokenBalances = [], postTokenBalances = [] }: CompressionInfoV2) {
  const rows = new Map<string, { owner: string; mint: string; before: bigint; after: bigint }>();
  const rowOf = (owner: string, mint: string) => {
    const key = `${owner} ${mint}`;
    const row = rows.get(key) ?? { owner, mint, before: 0n, after: 0n };
    rows.set(key, row);
    return row;
  };
  for (const { owner, mint, amount } of preTokenBalances) rowOf(owner, mint).before += amount;
  for (const { owner, mint, amount } of postTokenBalances) rowOf(owner, mint).after += amount;
  if (rows.size === 0) return null;
  return (
    <>
      <h2>Token balances in these accounts</h2>
      <p>Their sums by owner and mint, in the smallest unit of the mint.</p>
      <Table
        caption="Token balances"
        items={[...rows.values()]}
        keyOf={({ owner, mint }) => `${owner} ${mint}`}
        columns={[
          { name: 'Owner', show: ({ owner }) => <Key text={owner} name="owner" view="owner" isShort /> },
          { name: 'Mint', show: ({ mint }) => <Key text={mint} name="mint" view="mint" isShort /> },
          { name: 'Before', isNumber: true, show: ({ before }) => formatInteger(before) },
          { name: 'After', isNumber: true, show: ({ after }) => formatInteger(after) },
          { name: 'Change', isNumber: true, show: ({ before, after }) => formatChange(after - before) },
        ]}
      />
    </>
  );
}
