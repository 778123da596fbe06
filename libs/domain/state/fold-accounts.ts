import { type AccountBody, type OutputAccount, type TransitionEvent } from '@fresnel/domain/events';
import {
  type Hash,
  type Hasher,
  keyOf,
  MalformedBytesError,
  messageOf,
  type Pubkey,
  type Signature,
  toBase58,
} from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { hashNullifier } from './hashes';
import { type DeadLetter, type SlotEvents, type TransactionEvents } from './slot-events';
import { decodeTokenData, isTokenAccount, type TokenData } from './token-data.codec';
import { TreeDirectory } from './tree-directory';

/** Facts about immutable ids that a slot adds. Their order does not matter, nor how often each is delivered. */
export interface AccountFacts {
  created: CreatedAccount[];
  consumed: ConsumedAccount[];
  transactions: TransactionAccounts[];
  /** V2 state trees: leaves below this index left the output queue. */
  appended: { tree: Pubkey; nextLeafIndex: bigint }[];
  /** Transactions of which a part could not be read; the facts stand all the same. */
  deadLetters: DeadLetter[];
}

/** *Account H was created by T.* */
export interface CreatedAccount {
  hash: Hash;
  tree: Pubkey;
  leafIndex: number;
  /** Number that a V1 tree gave to the leaf; null in V2 trees. */
  seq: bigint | null;
  /** Null when only the leaf is known. */
  body: AccountBody | null;
  /** Set for token accounts. */
  token: TokenData | null;
  ataOwner: Pubkey | null;
  signature: Signature;
}

/** *Account H was consumed by T.* */
export interface ConsumedAccount {
  hash: Hash;
  signature: Signature;
  /** Set for accounts of V2 trees. */
  nullification: { txHash: Hash; nullifier: Hash; queueIndex: bigint } | null;
}

/** The accounts of a transaction in event order. */
export interface TransactionAccounts {
  transaction: TransactionEvents;
  consumed: Hash[];
  created: Hash[];
}

/**
 * Turns the events of a slot into facts. Outputs in trees that are not known are left out.
 *
 * @param tokenProgram owner of compressed token accounts
 */
export function foldAccounts(slot: SlotEvents, tokenProgram: Pubkey, hasher: Hasher): AccountFacts {
  const facts: AccountFacts = { created: [], consumed: [], transactions: [], appended: [], deadLetters: [] };
  const trees = new TreeDirectory(slot.trees);
  for (const transaction of slot.transactions) {
    const reasons: string[] = [];
    const accounts: TransactionAccounts = { transaction, consumed: [], created: [] };
    for (const event of transaction.events) {
      if (event.kind === 'transition') {
        const created = foldOutputs(event, transaction.signature, trees, tokenProgram, reasons);
        const consumed = foldInputs(event, transaction.signature, hasher, reasons);
        facts.created.push(...created);
        facts.consumed.push(...consumed);
        accounts.created.push(...created.map(({ hash }) => hash));
        accounts.consumed.push(...consumed.map(({ hash }) => hash));
      } else if (event.kind === 'batch-append' && trees.find(event.tree)) {
        facts.appended.push({ tree: event.tree, nextLeafIndex: event.newNextIndex });
      }
    }
    facts.transactions.push(accounts);
    const { signature, index, json } = transaction;
    if (reasons.length > 0) facts.deadLetters.push({ signature, index, json, reasons });
  }
  return facts;
}

function foldOutputs(
  event: TransitionEvent,
  signature: Signature,
  trees: TreeDirectory,
  tokenProgram: Pubkey,
  reasons: string[],
): CreatedAccount[] {
  const next = new Map(event.sequenceNumbers.map(({ tree, seq }) => [keyOf(tree), seq]));
  return event.outputs.flatMap((output) => {
    const tree = trees.find(output.treeAccount);
    if (!tree) return [];
    const { hash, leafIndex, body, ataOwner } = output;
    const seq = takeSequenceNumber(tree, next);
    if (seq === null && tree.type === 'stateV1') reasons.push(`no sequence number for ${toBase58(hash)}`);
    const token = body && readToken(body, output, tokenProgram, reasons);
    return [{ hash, tree: tree.tree, leafIndex, seq, body, token, ataOwner, signature }];
  });
}

/** A V1 tree numbers the leaves of an event one by one; a V2 tree gives them no number. */
function takeSequenceNumber(tree: TreeInfo, next: Map<string, bigint>): bigint | null {
  if (tree.type !== 'stateV1') return null;
  const key = keyOf(tree.tree);
  const seq = next.get(key);
  if (seq === undefined) return null;
  next.set(key, seq + 1n);
  return seq;
}

/** Data that look like a token account and are none leave a plain account. */
function readToken(
  body: AccountBody,
  { hash }: OutputAccount,
  tokenProgram: Pubkey,
  reasons: string[],
): TokenData | null {
  if (!body.data || !isTokenAccount(body, tokenProgram)) return null;
  try {
    return decodeTokenData(body.data.bytes);
  } catch (error) {
    if (!(error instanceof MalformedBytesError)) throw error;
    reasons.push(`token data of ${toBase58(hash)}: ${messageOf(error)}`);
    return null;
  }
}

function foldInputs(
  event: TransitionEvent,
  signature: Signature,
  hasher: Hasher,
  reasons: string[],
): ConsumedAccount[] {
  return event.inputs.map(({ hash, nullification }) => {
    if (!nullification) return { hash, signature, nullification: null };
    const { leafIndex, txHash, queueIndex } = nullification;
    try {
      const nullifier = hashNullifier(hash, leafIndex, txHash, hasher);
      return { hash, signature, nullification: { txHash, nullifier, queueIndex } };
    } catch (error) {
      if (!(error instanceof MalformedBytesError)) throw error;
      reasons.push(`nullifier of ${toBase58(hash)}: ${messageOf(error)}`);
      return { hash, signature, nullification: null };
    }
  });
}
