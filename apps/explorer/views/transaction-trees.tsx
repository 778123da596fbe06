import { type AccountV2, type CompressionInfoV2 } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { Table } from '../parts/paged-table';
import { Failure } from '../parts/states';
import { Key } from '../parts/values';
import { getTreeStatus, type TransactionResult } from '../rpc/methods';
import { describeTreeType, formatInteger } from '../values/format';
import { listChangedKeys } from '../values/transaction-keys';

/** Of a transaction with more keys, only so many are looked up. */
const MAX_KEYS = 24;

interface TouchedTree {
  tree: string;
  type: number;
  closed: number;
  opened: number;
}

/** The trees that a transaction touched: those of its accounts, and others that are among the keys that it may change. */
export function TransactionTrees({ found }: { found: TransactionResult }) {
  const ofAccounts = listTrees(found.compressionInfo);
  const keys = listKeys(found).filter((key) => ofAccounts.every(({ tree }) => tree !== key));
  const query = useQuery({ queryKey: ['trees', keys], queryFn: () => findTrees(keys) });
  const trees = [...ofAccounts, ...(query.data ?? [])];
  return (
    <>
      <h2>Trees</h2>
      <p>Those of these accounts, and others that this transaction could change.</p>
      {trees.length > 0 && (
        <Table
          caption="Trees"
          items={trees}
          keyOf={({ tree }) => tree}
          columns={[
            { name: 'Tree', show: ({ tree }) => <Key text={tree} name="tree" view="tree" isShort /> },
            { name: 'Type', show: ({ type }) => describeTreeType(type) },
            { name: 'Accounts closed', isNumber: true, show: ({ closed }) => formatInteger(closed) },
            { name: 'Accounts opened', isNumber: true, show: ({ opened }) => formatInteger(opened) },
          ]}
        />
      )}
      {query.isPending && <p aria-busy="true">Loading…</p>}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data && trees.length === 0 && <p className="empty">This index knows no tree of this transaction.</p>}
    </>
  );
}

function listTrees({ closedAccounts, openedAccounts }: CompressionInfoV2): TouchedTree[] {
  const trees = new Map<string, TouchedTree>();
  const treeOf = ({ merkleContext: { tree, treeType } }: AccountV2) => {
    const touched = trees.get(tree) ?? { tree, type: treeType, closed: 0, opened: 0 };
    trees.set(tree, touched);
    return touched;
  };
  for (const { account } of closedAccounts) treeOf(account.account).closed += 1;
  for (const { account } of openedAccounts) treeOf(account).opened += 1;
  return [...trees.values()];
}

function listKeys({ transaction }: TransactionResult): string[] {
  const { loadedAddresses } = transaction.meta ?? {};
  return [...listChangedKeys(transaction.transaction[0] ?? ''), ...(loadedAddresses?.writable ?? [])].slice(
    0,
    MAX_KEYS,
  );
}

async function findTrees(keys: readonly string[]): Promise<TouchedTree[]> {
  const found = await Promise.all(keys.map(getTreeStatus));
  return found.flatMap((status) => (status ? [{ tree: status.tree, type: status.type, closed: 0, opened: 0 }] : []));
}
