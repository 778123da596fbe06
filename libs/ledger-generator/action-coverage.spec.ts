import { keyOf, MAX_U64 } from '@fresnel/domain/primitives';
import { ACTION_NAMES, isCompressionAction } from './actions/action-name';
import { type CreatedAccount, type EventFacts, type TransactionFacts, type TransitionFacts } from './facts';
import { generateLedger } from './generate-ledger';

const blocks = [...generateLedger({ seed: 11, slots: 120, weights: { truncatedInstruction: 1, migrateLeaves: 2 } })];
const transactions = blocks.flatMap(({ facts }) => facts.transactions);
const events = transactions.flatMap((transaction) => transaction.events);
const transitions = events.filter((event): event is TransitionFacts => event.kind === 'transition');
const outputs = transitions.flatMap((transition) => transition.outputs);
const isReporter = ({ action }: TransactionFacts) => isCompressionAction(action);

describe('the default action mix over 120 slots', () => {
  it.each(ACTION_NAMES)('contains %s', (name) => {
    expect(transactions.some(({ action }) => action === name)).toBe(true);
  });

  it('reports events in compression actions only', () => {
    for (const transaction of transactions) expect(transaction.events.length > 0).toBe(isReporter(transaction));
  });

  it('fails the transactions of failTransaction only', () => {
    for (const { action, isFailed } of transactions) expect(isFailed).toBe(action === 'failTransaction');
  });

  it.each<EventFacts['kind']>([
    ...(['transition', 'leaves-nullified', 'leaf-migrated', 'addresses-inserted'] as const),
    ...(['outputs-appended', 'inputs-nullified', 'addresses-appended'] as const),
  ])('contains events of kind %s', (kind) => {
    expect(events.some((event) => event.kind === kind)).toBe(true);
  });

  it('contains empty blocks and skipped slots', () => {
    expect(blocks.some(({ facts }) => facts.transactions.length === 0)).toBe(true);
    expect(blocks.some(({ slot, parentSlot }) => slot - parentSlot > 1)).toBe(true);
  });

  it('contains transactions with several events, and forester events of one and of several updates', () => {
    const sizes = events.flatMap((event) => (event.kind === 'addresses-inserted' ? [event.addresses.length] : []));
    expect(transactions.some((transaction) => transaction.events.length > 2)).toBe(true);
    expect(Math.min(...sizes)).toBe(1);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  it('contains batches that nullify leaves before they are appended', () => {
    expect(earlyNullifications()).toBeGreaterThan(0);
  });
});

describe('transitions', () => {
  it.each<[string, (transition: TransitionFacts) => boolean]>([
    ['in the V1 format', ({ format }) => format === 1],
    ['in the V2 format', ({ format }) => format === 2],
    ['of V1 and V2 inputs together', ({ inputs }) => typesOf(inputs.map(({ account }) => account)).size === 2],
    ['with V1 and V2 outputs together', (transition) => typesOf(transition.outputs).size === 2],
    ['with V1 outputs in the V2 format', (transition) => transition.format === 2 && hasV1(transition.outputs)],
    ['without accounts', ({ inputs, outputs: created }) => inputs.length + created.length === 0],
    ['without outputs', ({ inputs, outputs: created }) => inputs.length > 0 && created.length === 0],
    ['with V1 addresses', ({ newAddresses }) => newAddresses.some(({ queueIndex }) => queueIndex === null)],
    ['with V2 addresses', ({ newAddresses }) => newAddresses.some(({ queueIndex }) => queueIndex !== null)],
    ['with inputs and no transaction hash', ({ inputs, txHash }) => inputs.length > 0 && txHash.every((byte) => !byte)],
    ['that update an account with an address', isAddressedUpdate],
  ])('%s exist', (_, matches) => {
    expect(transitions.some(matches)).toBe(true);
  });
});

describe('accounts', () => {
  it.each<[string, (account: CreatedAccount) => boolean]>([
    ['without lamports, data and address', ({ lamports, data, address }) => lamports === 0n && !data && !address],
    ['with the maximum number of lamports', ({ lamports }) => lamports === MAX_U64],
    ['with the highest discriminator', ({ data }) => data?.discriminator.every((byte) => byte === 255) ?? false],
    ['of frozen tokens with a delegate', ({ token }) => (token?.isFrozen ?? false) && token?.delegate !== null],
    ['of 0 tokens', ({ token }) => token?.amount === 0n],
    ['of the maximum number of tokens', ({ token }) => token?.amount === MAX_U64],
    ['of tokens with extensions', ({ token }) => (token?.extensions ?? null) !== null],
    ['of tokens without the extensions tag', ({ token, data }) => token !== null && data?.bytes.length === 74],
  ])('%s exist', (_, matches) => {
    expect(outputs.some(matches)).toBe(true);
  });
});

/** Number of leaves of V2 trees that are nullified while their accounts are in the output queue. */
function earlyNullifications(): number {
  const appendedEnds = new Map<string, number>();
  const nullifierQueues = new Map<string, number[]>();
  let early = 0;
  for (const event of events) {
    if (event.kind === 'transition') {
      for (const { account, nullification } of event.inputs) {
        const tree = keyOf(account.tree.tree);
        if (nullification) nullifierQueues.set(tree, [...(nullifierQueues.get(tree) ?? []), account.leafIndex]);
      }
    } else if (event.kind === 'outputs-appended') appendedEnds.set(keyOf(event.tree), event.newNextIndex);
    else if (event.kind === 'inputs-nullified') {
      const batch = nullifierQueues.get(keyOf(event.tree))?.slice(event.oldNextIndex, event.newNextIndex) ?? [];
      early += batch.filter((leafIndex) => leafIndex >= (appendedEnds.get(keyOf(event.tree)) ?? 0)).length;
    }
  }
  return early;
}

function typesOf(accounts: readonly CreatedAccount[]): Set<string> {
  return new Set(accounts.map(({ tree }) => tree.type));
}

function hasV1(accounts: readonly CreatedAccount[]): boolean {
  return typesOf(accounts).has('stateV1');
}

function isAddressedUpdate({ inputs, outputs: created }: TransitionFacts): boolean {
  return inputs.some(({ account: { address } }) =>
    created.some((output) => address && output.address?.equals(address)),
  );
}
