import { type SlotUpdate } from '@fresnel/adapters/store-write';
import { type Hash, type Pubkey, type Signature, toSlot } from '@fresnel/domain/primitives';
import {
  type AccountFacts,
  type ConsumedAccount,
  type CreatedAccount,
  type SlotEvents,
  type TransactionAccounts,
} from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';

const key = (seed: number) => Buffer.alloc(32, seed) as Pubkey;

/** A hash of 32 equal bytes. */
export function testHash(seed: number): Hash {
  return Buffer.alloc(32, seed) as Hash;
}

/** A signature of 64 equal bytes. */
export function testSignature(seed: number): Signature {
  return Buffer.alloc(64, seed) as Signature;
}

const MINT = key(0xa1);
const OWNER = key(0xb1);
const HOLDER = key(0xc1);

/** The V2 state tree of the accounts below. */
export const TEST_STATE_TREE: TreeInfo = {
  tree: key(1),
  queue: key(2),
  type: 'stateV2',
  height: 32,
  rootHistoryCapacity: 60,
  owner: null,
  observed: { slot: toSlot(0), seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: null },
};

/**
 * Slot `number` of a chain that starts at slot 10 and has no skipped slots, with the given facts, and with the transactions
 * that they name.
 */
export function slotUpdate(
  number: number,
  changes: Partial<AccountFacts> = {},
  frame: Partial<SlotEvents> = {},
): SlotUpdate {
  return {
    events: {
      slot: toSlot(number),
      parentSlot: toSlot(number - 1),
      blockhash: testHash(number),
      parentBlockhash: testHash(number - 1),
      blockTime: number * 100,
      blockHeight: null,
      isFirst: number === 10,
      transactions: [],
      trees: [TEST_STATE_TREE],
      deadLetters: [],
      signatures: null,
      ...frame,
    },
    facts: {
      created: [],
      consumed: [],
      transactions: transactionsOf(changes),
      appended: [],
      migrated: [],
      deadLetters: [],
      ...changes,
    },
  };
}

/** The fact that transaction `by` created account `seed`; a token account if there is an amount. */
export function createdAccount(seed: number, amount: bigint | null, by: number): CreatedAccount {
  const token =
    amount === null
      ? null
      : { mint: MINT, owner: HOLDER, amount, delegate: null, state: 'initialized' as const, tlv: null };
  const body = { owner: OWNER, lamports: 2n ** 64n - 1n, address: null, data: null };
  return {
    hash: testHash(seed),
    tree: TEST_STATE_TREE.tree,
    leafIndex: seed,
    seq: null,
    body,
    token,
    ataOwner: null,
    onchainPubkey: null,
    signature: testSignature(by),
  };
}

/** The fact that transaction `by` consumed account `seed`. */
export function consumedAccount(seed: number, by: number): ConsumedAccount {
  return { hash: testHash(seed), signature: testSignature(by), nullification: null };
}

/** The transactions that facts name, like folding lists them. */
function transactionsOf({ created = [], consumed = [] }: Partial<AccountFacts>): TransactionAccounts[] {
  const signatures = [...new Set([...created, ...consumed].map(({ signature }) => signature.toString('hex')))];
  return signatures.map((hex, index) => {
    const signature = Buffer.from(hex, 'hex') as Signature;
    const isOf = (fact: { signature: Signature }) => fact.signature.equals(signature);
    return {
      transaction: { signature, index, events: [], json: '{}' },
      created: created.filter(isOf).map(({ hash }) => hash),
      consumed: consumed.filter(isOf).map(({ hash }) => hash),
    };
  });
}
