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
import { type SlotEvents, type TransactionEvents } from './slot-events';
import { decodeTokenData, isTokenAccount, type TokenData } from './token-data.codec';
import { TreeDirectory } from './tree-directory';

/** Facts about immutable ids that a slot adds. Their order does not matter, nor how often each is told. */
export interface AccountFacts {
  created: CreatedAccount[];
  consumed: ConsumedAccount[];
  transactions: TransactionAccounts[];
  /** V2 state trees: leaves below this index left the output queue. */
  appended: { tree: Pubkey; nextLeafIndex: bigint }[];
  /** What was read only in part; the facts stand all the same. */
  problems: { signature: Signature; reason: string }[];
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
  const facts: AccountFacts = { created: [], consumed: [], transactions: [], appended: [], problems: [] };
  const trees = new TreeDirectory(slot.trees);
  for (const transaction of slot.transactions) {
    const accounts: TransactionAccounts = { transaction, consumed: [], created: [] };
    for (const event of transaction.events) {
      if (event.kind === 'transition') {
        foldOutputs(event, transaction.signature, trees, tokenProgram, facts, accounts);
        foldInputs(event, transaction.signature, hasher, facts, accounts);
      } else if (event.kind === 'batch-append' && trees.find(event.tree)) {
        facts.appended.push({ tree: event.tree, nextLeafIndex: event.newNextIndex });
      }
    }
    facts.transactions.push(accounts);
  }
  return facts;
}

function foldOutputs(
  event: TransitionEvent,
  signature: Signature,
  trees: TreeDirectory,
  tokenProgram: Pubkey,
  facts: AccountFacts,
  accounts: TransactionAccounts,
): void {
  const next = new Map(event.sequenceNumbers.map(({ tree, seq }) => [keyOf(tree), seq]));
  const park = (reason: string) => facts.problems.push({ signature, reason });
  for (const output of event.outputs) {
    const tree = trees.find(output.treeAccount);
    if (!tree) continue;
    const { hash, leafIndex, body, ataOwner } = output;
    const seq = takeSequenceNumber(tree, next);
    if (seq === null && tree.type === 'stateV1') park(`no sequence number for ${toBase58(hash)}`);
    const token = body && readToken(body, output, tokenProgram, park);
    facts.created.push({ hash, tree: tree.tree, leafIndex, seq, body, token, ataOwner, signature });
    accounts.created.push(hash);
  }
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
  park: (reason: string) => void,
): TokenData | null {
  if (!body.data || !isTokenAccount(body, tokenProgram)) return null;
  try {
    return decodeTokenData(body.data.bytes);
  } catch (error) {
    if (!(error instanceof MalformedBytesError)) throw error;
    park(`token data of ${toBase58(hash)}: ${messageOf(error)}`);
    return null;
  }
}

function foldInputs(
  event: TransitionEvent,
  signature: Signature,
  hasher: Hasher,
  facts: AccountFacts,
  accounts: TransactionAccounts,
): void {
  for (const { hash, nullification } of event.inputs) {
    accounts.consumed.push(hash);
    facts.consumed.push({
      hash,
      signature,
      nullification: nullification && {
        txHash: nullification.txHash,
        nullifier: hashNullifier(hash, nullification.leafIndex, nullification.txHash, hasher),
        queueIndex: nullification.queueIndex,
      },
    });
  }
}
