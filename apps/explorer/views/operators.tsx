import { type IndexerStatus } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { Table } from '../parts/paged-table';
import { Loaded } from '../parts/states';
import { Fields } from '../parts/values';
import { getIndexerStatus } from '../rpc/methods';
import { formatInteger } from '../values/format';

const REFRESH_MS = 5_000;

/** How far the consumers are, and what could not be read. */
export function OperatorsView() {
  const query = useQuery({ queryKey: ['status'], queryFn: getIndexerStatus, refetchInterval: REFRESH_MS });
  return (
    <Loaded query={query} empty="This server does not offer getIndexerStatus.">
      {(status) => <Status status={status} />}
    </Loaded>
  );
}

function Status({ status }: { status: IndexerStatus }) {
  const { version, firstSlot, slot, trees, consumers, deadLetters } = status;
  return (
    <>
      <Fields
        fields={{
          Version: version,
          'Slots in the index': `${formatInteger(firstSlot)} to ${formatInteger(slot)}`,
          Trees: `${formatInteger(trees.served)} served, ${formatInteger(trees.refused)} refused`,
        }}
      />
      {!consumers || !deadLetters ? (
        <p className="empty">
          Consumers and dead letters are shown if the gateway runs with <code>GATEWAY_OPERATOR_STATUS=true</code>.
        </p>
      ) : (
        <>
          <h2>Dead letters</h2>
          <p>Transactions that could not be read completely. They are stored, and tried again.</p>
          {deadLetters.length === 0 ? (
            <p className="empty">None: every transaction could be read.</p>
          ) : (
            <Table
              caption="Dead letters"
              items={deadLetters}
              keyOf={({ reason }) => reason}
              columns={[
                { name: 'Reason', show: ({ reason }) => reason },
                { name: 'Transactions', isNumber: true, show: ({ count }) => formatInteger(count) },
              ]}
            />
          )}
          <h2>Consumers</h2>
          <p>
            Each applies the messages of a partition in order: projectors write the tables, provers the trees. The lag
            counts the slots from the last message that was applied to the newest slot of the chain.
          </p>
          <Table
            caption="Consumers"
            items={consumers}
            keyOf={({ group, topic, partition }) => `${group} ${topic} ${partition}`}
            columns={[
              { name: 'Group', show: ({ group }) => group },
              { name: 'Topic', show: ({ topic }) => topic },
              { name: 'Partition', isNumber: true, show: ({ partition }) => String(partition) },
              { name: 'Slot', isNumber: true, show: (item) => (item.slot === null ? '–' : formatInteger(item.slot)) },
              {
                name: 'Lag in slots',
                isNumber: true,
                show: ({ lagSlots }) => (lagSlots === null ? '–' : formatInteger(lagSlots)),
              },
            ]}
          />
        </>
      )}
    </>
  );
}
