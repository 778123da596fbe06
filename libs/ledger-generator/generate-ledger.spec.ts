import { keyOf } from '@fresnel/domain/primitives';
import { ACTION_NAMES } from './actions/action-name';
import { type GeneratedBlock } from './block';
import { generateLedger } from './generate-ledger';
import { type LedgerOptions } from './ledger-options';

const SLOTS = 20;
const ledger = (options: Partial<LedgerOptions> = {}): GeneratedBlock[] => [
  ...generateLedger({ seed: 7, slots: SLOTS, ...options }),
];

function bodyOf({ json }: GeneratedBlock): Record<string, unknown> {
  const body: Record<string, unknown> = JSON.parse(json);
  return body;
}

describe('generateLedger', () => {
  const blocks = ledger();

  it('generates the same ledger from the same options, and a different one from another seed', () => {
    const texts = (ledgerBlocks: GeneratedBlock[]) => ledgerBlocks.map(({ json }) => json);
    expect(texts(ledger())).toEqual(texts(blocks));
    expect(texts(ledger({ seed: 8, slots: 3 }))).not.toEqual(texts(blocks));
  });

  it('generates a prefix of the same ledger for fewer slots', () => {
    expect(ledger({ slots: 3 }).map(({ json }) => json)).toEqual(
      blocks.filter(({ slot }) => slot < 1003).map(({ json }) => json),
    );
  });

  it('links every block to its parent across skipped slots', () => {
    const bodies = blocks.map(bodyOf);
    for (let i = 1; i < blocks.length; i++) {
      expect(blocks[i].parentSlot).toBe(blocks[i - 1].slot);
      expect(bodies[i].previousBlockhash).toBe(bodies[i - 1].blockhash);
      expect(bodies[i].blockHeight).toBe(Number(bodies[i - 1].blockHeight) + 1);
    }
    expect(blocks[0]).toMatchObject({ slot: 1000, parentSlot: 999 });
  });

  describe('with a branch', () => {
    const fromSlot = 1010;
    const branch = ledger({ branch: { fromSlot, seed: 1 } });
    const split = blocks.findIndex(({ slot }) => slot >= fromSlot);
    const textOf = ({ json }: GeneratedBlock) => json;
    const signatureOf = ({ facts }: GeneratedBlock) => facts.transactions.map(({ signature }) => signature);

    it('generates the same blocks before the branch, and links the branch to them', () => {
      expect(branch.slice(0, split).map(textOf)).toEqual(blocks.slice(0, split).map(textOf));
      for (let i = 1; i < branch.length; i++) {
        expect(branch[i].parentSlot).toBe(branch[i - 1].slot);
        expect(bodyOf(branch[i]).previousBlockhash).toBe(bodyOf(branch[i - 1]).blockhash);
      }
    });

    it('repeats the transactions of the first orphaned block one slot later, and no others', () => {
      const [orphaned, ...others] = blocks.slice(split);
      const [replacement, ...later] = branch.slice(split);
      expect(replacement.slot).toBe(orphaned.slot + 1);
      expect(bodyOf(replacement).blockhash).not.toBe(bodyOf(orphaned).blockhash);
      expect(signatureOf(orphaned).length).toBeGreaterThan(0);
      expect(signatureOf(replacement)).toEqual(signatureOf(orphaned));
      const laterSignatures = new Set(later.flatMap(signatureOf).map(keyOf));
      expect(others.flatMap(signatureOf).filter((signature) => laterSignatures.has(keyOf(signature)))).toEqual([]);
    });

    it('generates a different branch from another seed', () => {
      const other = ledger({ branch: { fromSlot, seed: 2 } });
      expect(other.slice(0, split).map(textOf)).toEqual(branch.slice(0, split).map(textOf));
      expect(other.slice(split).map((block) => bodyOf(block).blockhash)).not.toContain(bodyOf(branch[split]).blockhash);
    });
  });

  it('skips the requested share of slots, never the first', () => {
    expect(ledger({ skippedShare: 0, transactionsPerSlot: 0 })).toHaveLength(SLOTS);
    const sparse = ledger({ skippedShare: 0.5, transactionsPerSlot: 0 });
    expect(sparse.length).toBeGreaterThan(SLOTS * 0.25);
    expect(sparse.length).toBeLessThan(SLOTS * 0.75);
    expect(ledger({ skippedShare: 1 }).map(({ slot }) => slot)).toEqual([1000]);
  });

  it('writes the getBlock result with the slot first', () => {
    const { facts, slot, parentSlot } = blocks[1];
    const body = bodyOf(blocks[1]);
    expect(Object.keys(body)).toEqual([
      ...[
        'slot',
        'parentSlot',
        'blockhash',
        'previousBlockhash',
        'blockTime',
        'blockHeight',
        'transactions',
        'rewards',
      ],
    ]);
    expect(body).toMatchObject({ slot, parentSlot, blockTime: facts.blockTime, rewards: [] });
    expect(body.transactions).toHaveLength(facts.transactions.length);
  });

  it('writes numbers that do not fit in a double', () => {
    expect(blocks.some(({ json }) => json.includes(',18446744073709551615'))).toBe(true);
  });

  it('generates the requested mean number of compression transactions', () => {
    const dense = ledger({ skippedShare: 0, seed: 3 });
    const mean =
      dense.flatMap(({ facts }) => facts.transactions).filter(({ events }) => events.length > 0).length / SLOTS;
    expect(mean).toBeGreaterThan(3);
    expect(mean).toBeLessThan(5);
  });

  it('uses actions with a positive weight only', () => {
    const weights = { ...Object.fromEntries(ACTION_NAMES.map((name) => [name, 0])), vote: 1, createAccounts: 1 };
    const transactions = ledger({ weights }).flatMap(({ facts }) => facts.transactions);
    expect(new Set(transactions.map(({ action }) => action))).toEqual(new Set(['vote', 'createAccounts']));
  });
});
