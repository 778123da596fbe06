import { type TreeStatus } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../parts/states';
import { Fields, Key } from '../parts/values';
import { getQueueInfo, getTreeStatus } from '../rpc/methods';
import { type Route } from '../routes';
import { describeQueueType, describeTreeType, formatInteger } from '../values/format';

const REFRESH_MS = 10_000;

/** The state of a tree. */
export function TreeView({ route }: { route: Route }) {
  const tree = route.subject;
  const query = useQuery({
    queryKey: ['tree', tree],
    queryFn: async () => {
      const status = await getTreeStatus(tree);
      // A tree that is not served has a status, and an error instead of queues.
      return { status, queues: status?.queues ?? (await getQueueInfo(tree)).queues };
    },
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <p>
        A tree has a hash for each compressed account, or for each address that is in use. The chain stores its root.
        Changes may wait in a queue until a forester, a program for this work, writes them to the tree.
      </p>
      <Fields fields={{ Tree: <Key text={tree} name="tree" /> }} />
      <Loaded
        query={query}
        isEmpty={({ status, queues }) => status === null && queues.length === 0}
        empty="This index knows nothing of this tree. A server without getTreeStatus shows only the queues of V2 trees."
      >
        {({ status, queues }) => (
          <>
            {status && <Status status={status} />}
            <h2>Queues</h2>
            <Queues queues={queues} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Status({ status }: { status: TreeStatus }) {
  const { type, queue, height, capacity, nextIndex, root, rootSeq, slot, served, reason } = status;
  const thousandths = capacity > 0n ? (nextIndex * 1_000n) / capacity : 0n;
  return (
    <>
      <Fields
        fields={{
          'Proofs are served': served ? 'yes' : `no: ${reason ?? 'the server gives no reason'}`,
          Type: describeTreeType(type),
          Queue: <Key text={queue} name="queue" />,
          Height: String(height),
          Root: <Key text={root} name="root" />,
          'Root sequence': formatInteger(rootSeq),
          'As of slot': formatInteger(slot),
          Fill: `${formatInteger(nextIndex)} of ${formatInteger(capacity)} leaves${thousandths > 0n ? ` (${Number(thousandths) / 10} %)` : ''}`,
        }}
      />
      <progress value={Number(thousandths)} max={1_000} aria-label="Fill of the tree" />
    </>
  );
}

function Queues({ queues }: { queues: { queueType: number; queueSize: number | bigint }[] }) {
  if (queues.length === 0)
    return <p className="empty">None that are visible. Those of V1 trees are only on the chain.</p>;
  const fields = queues.map(({ queueType, queueSize }) => [describeQueueType(queueType), formatInteger(queueSize)]);
  return <Fields fields={Object.fromEntries(fields) as Record<string, string>} />;
}
