import {
  keyOf,
  MalformedBytesError,
  type Pubkey,
  type Slot,
  toBase58,
  toPubkey,
  toSlot,
} from '@fresnel/domain/primitives';
import {
  isAddressTree,
  parseTreeAccount,
  TREE_DISCRIMINATORS,
  TREE_HEADER_BYTES,
  TREE_OWNER_OFFSET,
  type TreeInfo,
} from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type FoundTrees, IncompleteTreesError, type TreeLookup, type TreeSource } from './block-source';
import { NoAnswerError, RpcAnswerError } from './rpc-answer';
import { isNotOffered, isRefusedStatus } from './rpc-refusals';
import { type Account, ProgramAccounts, MAX_ACCOUNTS_PER_CALL, type Reading } from './rpc.program-accounts';
import { RpcUnavailableError, type SolanaRpc } from './solana-rpc';

export interface RpcTreeSourceOptions {
  /** The program that owns tree and queue accounts. */
  accountCompression: Pubkey;
  /** The owner stored in the tree accounts. Trees of other owners are ignored. */
  treeOwner: Pubkey;
}

/** The trees among some accounts, and the keys of those that cannot be parsed, with the reason. */
interface ParsedTrees {
  trees: TreeInfo[];
  malformed: ReadonlyMap<string, string>;
}

const NOT_LISTED = 'the node does not list the accounts of the compression program';
const ADVICE = 'Add a node with getProgramAccounts to SOLANA_RPC_URL, or name all trees in TREES_FILE';

/** Discriminators of queue accounts, V1 and V2. In both, the key of the tree is at offset 160. */
const QUEUE_DISCRIMINATORS = [Buffer.from('a4c86c3e573f7b41', 'hex'), Buffer.from('queueacc', 'latin1')];
const QUEUE_TREE_OFFSET = 160;

/** Finds trees by their accounts on the chain. */
export class RpcTreeSource implements TreeSource {
  private readonly accounts: ProgramAccounts;

  constructor(
    rpc: SolanaRpc,
    private readonly options: RpcTreeSourceOptions,
    private readonly logger: Logger,
  ) {
    this.accounts = new ProgramAccounts(rpc, options.accountCompression);
  }

  async listTrees(minContextSlot: Slot, signal: AbortSignal): Promise<TreeInfo[]> {
    try {
      const kinds = ['stateV1', 'addressV1', 'v2'] as const;
      const lists = await Promise.all(kinds.map((kind) => this.listTreeAccounts(kind, minContextSlot, signal)));
      return (await this.toTrees(lists.flat(), { minContextSlot, retryForMs: Infinity }, signal)).trees;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RpcUnavailableError || error instanceof RpcAnswerError)) throw error;
      this.logger.warn({ reason: error.message }, 'the node does not list trees');
      throw new IncompleteTreesError(`${NOT_LISTED}: ${error.message}. ${ADVICE}`, !isRefusal(error), { cause: error });
    }
  }

  async findTrees({ accounts, ...reading }: TreeLookup, signal: AbortSignal): Promise<FoundTrees> {
    const found: FoundTrees = { trees: [], unread: [], slot: reading.minContextSlot };
    const chunks: FoundTrees[] = [];
    for (let start = 0; start < accounts.length; start += MAX_ACCOUNTS_PER_CALL) {
      chunks.push(await this.findInChunk(accounts.slice(start, start + MAX_ACCOUNTS_PER_CALL), reading, signal));
    }
    for (const { trees, unread } of chunks) {
      found.trees.push(...trees);
      found.unread.push(...unread);
    }
    if (chunks.length > 0) found.slot = oldestOf(chunks);
    return found;
  }

  private async findInChunk(keys: readonly Pubkey[], reading: Reading, signal: AbortSignal): Promise<FoundTrees> {
    try {
      const named = await this.accounts.read(keys, reading, signal, TREE_HEADER_BYTES);
      const queues = named.accounts.filter(({ data }) => isQueue(data));
      const treesOfQueues = queues.map(({ data }) => treeOfQueue(data));
      const ofQueues = await this.accounts.read(treesOfQueues, reading, signal, TREE_HEADER_BYTES);
      const { trees, malformed } = await this.toTrees([...named.accounts, ...ofQueues.accounts], reading, signal);
      const treeKeys = new Map(queues.map(({ key }, at) => [keyOf(key), keyOf(treesOfQueues[at])]));
      const unread = keys.flatMap((account) => {
        const key = keyOf(account);
        const reason = malformed.get(treeKeys.get(key) ?? key);
        return reason === undefined ? [] : [{ account, reason }];
      });
      return { trees, unread, slot: oldestOf([named, ofQueues]) };
    } catch (error) {
      if (!(error instanceof RpcUnavailableError)) throw error;
      this.logger.warn(
        { accounts: keys.length, reason: error.message },
        'accounts that may be trees could not be read',
      );
      const unread = keys.map((account) => ({ account, reason: error.message }));
      return { trees: [], unread, slot: reading.minContextSlot };
    }
  }

  /**
   * Parses the trees of the configured owner. Address trees are read whole: their roots are compared with computed
   * roots.
   */
  private async toTrees(accounts: readonly Account[], reading: Reading, signal: AbortSignal): Promise<ParsedTrees> {
    const { trees, malformed } = this.parseAll(accounts);
    const addressTrees = trees.filter(isAddressTree).map(({ tree }) => tree);
    const full = await Promise.all(addressTrees.map((tree) => this.accounts.read([tree], reading, signal)));
    const parsed = this.parseAll(full.flatMap((each) => each.accounts));
    return {
      trees: [...trees.filter((tree) => !isAddressTree(tree)), ...parsed.trees],
      malformed: new Map([...malformed, ...parsed.malformed]),
    };
  }

  private parseAll(accounts: readonly Account[]): ParsedTrees {
    const trees: TreeInfo[] = [];
    const malformed = new Map<string, string>();
    for (const { key, data, slot } of accounts) {
      try {
        const tree = parseTreeAccount(key, data, slot);
        if (tree?.owner?.equals(this.options.treeOwner)) trees.push(tree);
      } catch (error) {
        if (!(error instanceof MalformedBytesError)) throw error;
        if (!this.hasOwner(data)) continue;
        malformed.set(keyOf(key), error.message);
        this.logger.warn({ account: toBase58(key), reason: error.message }, 'tree account cannot be parsed');
      }
    }
    return { trees, malformed };
  }

  private listTreeAccounts(
    kind: keyof typeof TREE_OWNER_OFFSET,
    minContextSlot: Slot,
    signal: AbortSignal,
  ): Promise<Account[]> {
    const filters = [
      { offset: 0, bytes: TREE_DISCRIMINATORS[kind] },
      { offset: TREE_OWNER_OFFSET[kind], bytes: this.options.treeOwner },
    ];
    return this.accounts.list(filters, minContextSlot, signal);
  }

  /** Whether an account of any kind of tree has the configured owner. */
  private hasOwner(data: Buffer): boolean {
    const { treeOwner } = this.options;
    return Object.values(TREE_OWNER_OFFSET).some((at) => treeOwner.equals(data.subarray(at, at + treeOwner.length)));
  }
}

/** Whether the node does not offer the list: asking again does not help. */
function isRefusal(error: Error): boolean {
  const answer = error instanceof RpcUnavailableError ? error.cause : error;
  if (answer instanceof RpcAnswerError) return isNotOffered(answer);
  return answer instanceof NoAnswerError && isRefusedStatus(answer.httpStatus);
}

function oldestOf(answers: readonly { slot: Slot }[]): Slot {
  return toSlot(Math.min(...answers.map(({ slot }) => slot)));
}

function isQueue(data: Buffer): boolean {
  return QUEUE_DISCRIMINATORS.some((known) => known.equals(data.subarray(0, 8)));
}

function treeOfQueue(data: Buffer): Pubkey {
  return toPubkey(data.subarray(QUEUE_TREE_OFFSET, QUEUE_TREE_OFFSET + 32));
}
