import { type AccountBody, type InputAccount, type OutputAccount, type TransitionEvent } from '@fresnel/domain/events';
import {
  type BatchHasher,
  type Hash,
  keyOf,
  MalformedBytesError,
  messageOf,
  type Pubkey,
  type Signature,
  toBase58,
} from '@fresnel/domain/primitives';
import { isFieldElement } from '@fresnel/domain/poseidon';
import { type TreeInfo } from '@fresnel/domain/trees';
import { foldMigratedLeaves, type MigratedLeaf } from './fold-migrated-leaves';
import { hashNullifiers } from './hashes';
import { type DeadLetter, type SlotEvents, type TransactionEvents } from './slot-events';
import { readOnchainPubkey } from './onchain-pubkey';
import { decodeTokenData, isTokenAccount, type TokenData } from './token-data.codec';
import { TreeDirectory } from './tree-directory';

/** The facts of a slot about immutable ids. They can be applied in any order and more than once. */
export interface AccountFacts {
  created: CreatedAccount[];
  consumed: ConsumedAccount[];
  transactions: TransactionAccounts[];
  /** V2 state trees: leaves below this index have left the output queue. */
  appended: { tree: Pubkey; nextLeafIndex: bigint }[];
  /** Leaves that moved to V2 state trees. */
  migrated: MigratedLeaf[];
  /** Transactions of which a part could not be parsed. The facts of the other parts are included above. */
  deadLetters: DeadLetter[];
}

/** *Account H was created by T.* */
export interface CreatedAccount {
  hash: Hash;
  tree: Pubkey;
  leafIndex: number;
  /** Sequence number of the leaf in a V1 tree; null in V2 trees. */
  seq: bigint | null;
  /** Null if only the leaf could be parsed. */
  body: AccountBody | null;
  /** Set for token accounts. */
  token: TokenData | null;
  /** The wallet of a compressed associated token account. */
  ataOwner: Pubkey | null;
  /** The Solana account that it stands for. */
  onchainPubkey: Pubkey | null;
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
 * Folds the events of a slot into facts. Outputs in unknown trees are ignored.
 *
 * @param tokenProgram owner of compressed token accounts
 */
export async function foldAccounts(
  slot: SlotEvents,
  tokenProgram: Pubkey,
  hashBatch: BatchHasher,
): Promise<AccountFacts> {
  const trees = new TreeDirectory(slot.trees);
  const migrated = foldMigratedLeaves(slot, trees);
  const facts: AccountFacts = { created: [], consumed: [], transactions: [], appended: [], migrated, deadLetters: [] };
  const inputs: ConsumedInput[] = [];
  for (const transaction of slot.transactions) {
    const reasons: string[] = [];
    const accounts: TransactionAccounts = { transaction, consumed: [], created: [] };
    for (const event of transaction.events) {
      if (event.kind === 'transition') {
        const created = foldOutputs(event, transaction.signature, trees, tokenProgram, reasons);
        const consumed = foldInputs(event, transaction.signature, reasons);
        facts.created.push(...created);
        inputs.push(...consumed);
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
  facts.consumed = await addNullifiers(inputs, hashBatch);
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
    const seq = nextSequenceNumber(tree, next);
    if (seq === null && tree.type === 'stateV1') reasons.push(`no sequence number for ${toBase58(hash)}`);
    const onchainPubkey = body && readOnchainPubkey(body, tokenProgram);
    const token = body && readToken(body, output, tokenProgram, reasons);
    return [{ hash, tree: tree.tree, leafIndex, seq, body, token, ataOwner, onchainPubkey, signature }];
  });
}

/** In a V1 tree the leaves of an event have consecutive sequence numbers. In a V2 tree they have none. */
function nextSequenceNumber(tree: TreeInfo, next: Map<string, bigint>): bigint | null {
  if (tree.type !== 'stateV1') return null;
  const key = keyOf(tree.tree);
  const seq = next.get(key);
  if (seq === undefined) return null;
  next.set(key, seq + 1n);
  return seq;
}

/** An account whose token data cannot be parsed becomes an account without token data. */
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

/** A consumed account whose nullifier is not hashed yet. */
interface ConsumedInput {
  hash: Hash;
  signature: Signature;
  nullification: InputAccount['nullification'];
}

function foldInputs(event: TransitionEvent, signature: Signature, reasons: string[]): ConsumedInput[] {
  return event.inputs.map(({ hash, nullification }) => {
    if (!nullification || (isFieldElement(hash) && isFieldElement(nullification.txHash))) {
      return { hash, signature, nullification };
    }
    reasons.push(`nullifier of ${toBase58(hash)}: the account hash or the transaction hash is not a field element`);
    return { hash, signature, nullification: null };
  });
}

/** Hashes the nullifiers of a slot in one batch. */
async function addNullifiers(inputs: readonly ConsumedInput[], hashBatch: BatchHasher): Promise<ConsumedAccount[]> {
  const nullified = inputs.flatMap(({ hash, nullification }) => (nullification ? [{ hash, ...nullification }] : []));
  const nullifiers = (await hashNullifiers(nullified, hashBatch)).values();
  return inputs.map(({ hash, signature, nullification }) => {
    const nullifier = nullification && nullifiers.next().value;
    if (!nullifier) return { hash, signature, nullification: null };
    const { txHash, queueIndex } = nullification;
    return { hash, signature, nullification: { txHash, nullifier, queueIndex } };
  });
}
