import { keyOf, MAX_U64, toBase58 } from '@fresnel/domain/primitives';
import { type CreatedAccount, type EventFacts, type TransitionFacts } from './facts';
import { generateLedger } from './generate-ledger';

const blocks = [...generateLedger({ seed: 31, slots: 80, weights: { migrateLeaves: 6 } })];
const transactions = blocks.flatMap(({ facts }) => facts.transactions);
const events = transactions.flatMap((transaction) => transaction.events);
const transitions = events.filter(isTransition);
const migrations = events.filter((event) => event.kind === 'leaf-migrated');

function isTransition(event: EventFacts): event is TransitionFacts {
  return event.kind === 'transition';
}

/** Numbers by tree, in the order in which they were assigned. */
class Series {
  private readonly numbers = new Map<string, number[]>();

  add(of: Buffer, ...numbers: (number | bigint)[]): void {
    const key = toBase58(of);
    this.numbers.set(key, [...(this.numbers.get(key) ?? []), ...numbers.map(Number)]);
  }

  /** Expects that each series counts up by one from its start. */
  expectNoGaps(start: number): void {
    expect(this.numbers.size).toBeGreaterThan(0);
    for (const series of this.numbers.values()) expect(series).toEqual(series.map((_, i) => start + i));
  }
}

describe('trees', () => {
  it('assign consecutive leaf indices', () => {
    const leaves = new Series();
    for (const event of events) {
      if (event.kind === 'leaf-migrated') leaves.add(event.target.tree, event.targetLeafIndex);
      if (event.kind !== 'transition') continue;
      for (const { tree, leafIndex } of event.outputs) leaves.add(tree.tree, leafIndex);
    }
    leaves.expectNoGaps(0);
    expect(migrations.length).toBeGreaterThan(10);
  });

  it('of version 1 assign consecutive sequence numbers', () => {
    const numbers = new Series();
    for (const event of events) {
      if (event.kind === 'transition') {
        for (const { tree, seq } of event.outputs) if (seq !== null) numbers.add(tree.tree, seq);
      } else if (event.kind === 'leaves-nullified') {
        numbers.add(event.tree, ...event.leafIndices.map((_, i) => event.seq + BigInt(i)));
      } else if (event.kind === 'leaf-migrated') {
        numbers.add(event.tree, event.seq);
      }
    }
    numbers.expectNoGaps(1);
  });

  it('of version 1 assign two sequence numbers to each address', () => {
    const numbers = new Series();
    for (const event of events) {
      if (event.kind !== 'addresses-inserted') continue;
      numbers.add(
        event.tree,
        ...event.addresses.flatMap((_, i) => [2 * i, 2 * i + 1].map((k) => event.seq + BigInt(k))),
      );
    }
    numbers.expectNoGaps(4);
  });

  it('of version 2 assign consecutive sequence numbers to batches', () => {
    const numbers = new Series();
    for (const event of events) if ('newRoot' in event) numbers.add(event.tree, event.seq);
    numbers.expectNoGaps(1);
  });

  it('of version 2 assign consecutive queue positions to inputs and addresses', () => {
    const [inputs, addresses] = [new Series(), new Series()];
    for (const transition of transitions) {
      for (const { account, nullification } of transition.inputs) {
        if (nullification) inputs.add(account.tree.tree, nullification.queueIndex);
      }
      for (const { tree, queueIndex } of transition.newAddresses) {
        if (queueIndex !== null) addresses.add(tree.tree, queueIndex);
      }
    }
    inputs.expectNoGaps(0);
    addresses.expectNoGaps(0);
  });

  it('of version 2 apply consecutive ranges of the queues', () => {
    const ends = new Map<string, number>();
    for (const event of events) {
      if (!('newRoot' in event)) continue;
      const key = event.kind + keyOf(event.tree);
      expect(event.oldNextIndex).toBe(ends.get(key) ?? (event.kind === 'addresses-appended' ? 1 : 0));
      ends.set(key, event.newNextIndex);
    }
  });
});

describe('accounts', () => {
  it('are consumed or migrated once, after they were created, those of V1 trees in a later transaction', () => {
    const live = new Map<string, CreatedAccount>();
    for (const transaction of transactions) {
      const before = new Set(live.keys());
      for (const event of transaction.events) {
        if (event.kind === 'leaf-migrated') expect(live.delete(keyOf(event.account.hash))).toBe(true);
      }
      for (const { inputs, outputs } of transaction.events.filter(isTransition)) {
        for (const { account } of inputs) {
          expect(live.delete(keyOf(account.hash))).toBe(true);
          if (account.tree.type === 'stateV1') expect(before.has(keyOf(account.hash))).toBe(true);
        }
        for (const output of outputs) live.set(keyOf(output.hash), output);
      }
    }
  });

  it('have addresses that a transition created, at most one live account per address', () => {
    const createdAddresses = new Set(
      transitions.flatMap(({ newAddresses }) => newAddresses.map(({ address }) => keyOf(address))),
    );
    const live = new Set<string>();
    for (const { inputs, outputs } of transitions) {
      for (const { account } of inputs) if (account.address) live.delete(keyOf(account.address));
      for (const { address } of outputs) {
        if (!address) continue;
        expect(createdAddresses.has(keyOf(address)) && !live.has(keyOf(address))).toBe(true);
        live.add(keyOf(address));
      }
    }
  });

  it('have no more lamports on either side of a transition than a u64', () => {
    for (const { inputs, outputs } of transitions) {
      const sides = [inputs.map(({ account }) => account), outputs];
      for (const side of sides) expect(side.reduce((sum, { lamports }) => sum + lamports, 0n) <= MAX_U64).toBe(true);
    }
  });
});

describe('tokens', () => {
  it('never increase when accounts of their mint are consumed', () => {
    for (const { inputs, outputs } of transitions) {
      for (const [mint, before] of amountsByMint(inputs.map(({ account }) => account))) {
        expect((amountsByMint(outputs).get(mint) ?? 0n) <= before).toBe(true);
      }
    }
  });

  it('of a mint never exceed a u64', () => {
    const supplies = new Map<string, bigint>();
    for (const { inputs, outputs } of transitions) {
      const change = (amounts: Map<string, bigint>, sign: bigint) => {
        for (const [mint, amount] of amounts) supplies.set(mint, (supplies.get(mint) ?? 0n) + sign * amount);
      };
      change(amountsByMint(inputs.map(({ account }) => account)), -1n);
      change(amountsByMint(outputs), 1n);
      for (const supply of supplies.values()) expect(supply >= 0n && supply <= MAX_U64).toBe(true);
    }
  });
});

function amountsByMint(accounts: readonly CreatedAccount[]): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const { token } of accounts) {
    if (token) amounts.set(keyOf(token.mint), (amounts.get(keyOf(token.mint)) ?? 0n) + token.amount);
  }
  return amounts;
}
