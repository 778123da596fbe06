import { keyOf, MAX_U64 } from '@fresnel/domain/primitives';
import { ACTION_NAMES } from './actions/action-mix';
import { COMPRESSION_ACTIONS } from './actions/catalog';
import { type CreatedAccount, type EventFacts, type TransactionFacts, type TransitionFacts } from './facts';
import { generateLedger } from './generate-ledger';

const blocks = [...generateLedger({ seed: 11, slots: 200, weights: { unreadableInstruction: 1 } })];
const transactions = blocks.flatMap(({ facts }) => facts.transactions);
const events = transactions.flatMap((transaction) => transaction.events);
const transitions = events.filter((event): event is TransitionFacts => event.kind === 'transition');
const outputs = transitions.flatMap((transition) => transition.outputs);
const isReporter = ({ action }: TransactionFacts) => action in COMPRESSION_ACTIONS;

describe('the usual mix over 200 slots', () => {
  it.each(ACTION_NAMES)('contains %s', (name) => {
    expect(transactions.some(({ action }) => action === name)).toBe(true);
  });

  it('reports events in what is to be indexed and nowhere else', () => {
    for (const transaction of transactions) expect(transaction.events.length > 0).toBe(isReporter(transaction));
  });

  it('fails only what is meant to fail', () => {
    for (const { action, isFailed } of transactions) expect(isFailed).toBe(action === 'failTransaction');
  });

  it.each<EventFacts['kind']>([
    ...(['transition', 'leaves-nullified', 'addresses-inserted'] as const),
    ...(['outputs-appended', 'inputs-nullified', 'addresses-appended'] as const),
  ])('has events of kind %s', (kind) => {
    expect(events.some((event) => event.kind === kind)).toBe(true);
  });

  it('has empty blocks and skipped slots', () => {
    expect(blocks.some(({ facts }) => facts.transactions.length === 0)).toBe(true);
    expect(blocks.some(({ slot, parentSlot }) => slot - parentSlot > 1)).toBe(true);
  });

  it('has several events in one transaction, and forester events of one and of several updates', () => {
    const sizes = events.flatMap((event) => (event.kind === 'addresses-inserted' ? [event.addresses.length] : []));
    expect(transactions.some((transaction) => transaction.events.length > 2)).toBe(true);
    expect(Math.min(...sizes)).toBe(1);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  it('has batches that nullify leaves before they are appended', () => {
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
    ['without accounts', ({ inputs, outputs: made }) => inputs.length + made.length === 0],
    ['without outputs', ({ inputs, outputs: made }) => inputs.length > 0 && made.length === 0],
    ['with V1 addresses', ({ newAddresses }) => newAddresses.some(({ queueIndex }) => queueIndex === null)],
    ['with V2 addresses', ({ newAddresses }) => newAddresses.some(({ queueIndex }) => queueIndex !== null)],
    ['with inputs and no transaction hash', ({ inputs, txHash }) => inputs.length > 0 && txHash.every((byte) => !byte)],
    ['that put an account back at its address', isRewrite],
  ])('%s occur', (_, isSuch) => {
    expect(transitions.some(isSuch)).toBe(true);
  });
});

describe('accounts', () => {
  it.each<[string, (account: CreatedAccount) => boolean]>([
    ['without anything', ({ lamports, data, address }) => lamports === 0n && !data && !address],
    ['with all lamports that there can be', ({ lamports }) => lamports === MAX_U64],
    ['with the highest discriminator', ({ data }) => data?.discriminator.every((byte) => byte === 255) ?? false],
    ['of frozen tokens with a delegate', ({ token }) => (token?.isFrozen ?? false) && token?.delegate !== null],
    ['of no tokens', ({ token }) => token?.amount === 0n],
    ['of all tokens that there can be', ({ token }) => token?.amount === MAX_U64],
    ['of tokens with extensions', ({ token }) => (token?.extensions ?? null) !== null],
    ['of tokens without the last tag', ({ token, data }) => token !== null && data?.bytes.length === 74],
  ])('%s occur', (_, isSuch) => {
    expect(outputs.some(isSuch)).toBe(true);
  });
});

/** How many leaves of V2 trees were nullified while their accounts waited in the output queue. */
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

function isRewrite({ inputs, outputs: made }: TransitionFacts): boolean {
  return inputs.some(({ account: { address } }) => made.some((output) => address && output.address?.equals(address)));
}
