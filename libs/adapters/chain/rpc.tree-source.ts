import {
  asFields,
  asList,
  asSlot,
  asText,
  MalformedBytesError,
  messageOf,
  parsePubkey,
  type Pubkey,
  type Slot,
  toBase58,
  toPubkey,
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
import { type TreeSource } from './block-source';
import { type SolanaRpc } from './solana-rpc';

export interface RpcTreeSourceOptions {
  /** The program that owns tree and queue accounts. */
  accountCompression: Pubkey;
  /** The owner stored in the tree accounts. Trees of other owners are ignored. */
  treeOwner: Pubkey;
}

interface Account {
  key: Pubkey;
  data: Buffer;
  slot: Slot;
}

const COMMITMENT = { commitment: 'confirmed' };
const MAX_ACCOUNTS_PER_CALL = 100;
/** Limited, because some nodes never list the accounts of a program. */
const MAX_LIST_ATTEMPTS = 6;

/** Discriminators of queue accounts, V1 and V2. In both, the key of the tree is at offset 160. */
const QUEUE_DISCRIMINATORS = [Buffer.from('a4c86c3e573f7b41', 'hex'), Buffer.from('queueacc', 'latin1')];
const QUEUE_TREE_OFFSET = 160;

/** Finds trees by their accounts on the chain. */
export class RpcTreeSource implements TreeSource {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly options: RpcTreeSourceOptions,
    private readonly logger: Logger,
  ) {}

  async listTrees(signal: AbortSignal): Promise<TreeInfo[]> {
    try {
      const kinds = ['stateV1', 'addressV1', 'v2'] as const;
      const lists = await Promise.all(kinds.map((kind) => this.listProgramAccounts(kind, signal)));
      return await this.toTrees(lists.flat(), signal);
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn(
        { reason: messageOf(error) },
        'the node does not list trees: each tree is looked up when a transaction names it',
      );
      return [];
    }
  }

  async findTrees(keys: readonly Pubkey[], signal: AbortSignal): Promise<TreeInfo[]> {
    const accounts = await this.readAccounts(keys, signal, TREE_HEADER_BYTES);
    const treesOfQueues = accounts.filter(({ data }) => isQueue(data)).map(({ data }) => treeOfQueue(data));
    const treeAccounts = await this.readAccounts(treesOfQueues, signal, TREE_HEADER_BYTES);
    return this.toTrees([...accounts, ...treeAccounts], signal);
  }

  /**
   * Parses the trees of the configured owner. Address trees are read whole: their roots are compared with computed
   * roots.
   */
  private async toTrees(accounts: readonly Account[], signal: AbortSignal): Promise<TreeInfo[]> {
    const trees = this.parseAll(accounts);
    const addressTrees = trees.filter(isAddressTree).map(({ tree }) => tree);
    const fullAccounts = await Promise.all(addressTrees.map((tree) => this.readAccounts([tree], signal)));
    return [...trees.filter((tree) => !isAddressTree(tree)), ...this.parseAll(fullAccounts.flat())];
  }

  private parseAll(accounts: readonly Account[]): TreeInfo[] {
    return accounts.map((account) => this.parse(account)).filter((tree) => tree !== null);
  }

  private parse({ key, data, slot }: Account): TreeInfo | null {
    try {
      const tree = parseTreeAccount(key, data, slot);
      return tree?.owner?.equals(this.options.treeOwner) ? tree : null;
    } catch (error) {
      if (!(error instanceof MalformedBytesError)) throw error;
      this.logger.warn({ account: toBase58(key), reason: error.message }, 'tree account cannot be parsed');
      return null;
    }
  }

  private listProgramAccounts(kind: keyof typeof TREE_OWNER_OFFSET, signal: AbortSignal): Promise<Account[]> {
    const { accountCompression, treeOwner } = this.options;
    const filters = [
      { memcmp: { offset: 0, bytes: toBase58(TREE_DISCRIMINATORS[kind]) } },
      { memcmp: { offset: TREE_OWNER_OFFSET[kind], bytes: toBase58(treeOwner) } },
    ];
    const params = [toBase58(accountCompression), { ...readConfig(TREE_HEADER_BYTES), filters, withContext: true }];
    const parse = (result: unknown) => {
      const { slot, list } = readContext(result);
      return list.flatMap((entry) => {
        const { pubkey, account } = asFields(entry);
        return this.toAccount(parsePubkey(asText(pubkey)), account, slot);
      });
    };
    return this.rpc.call({ method: 'getProgramAccounts', params, parse, maxAttempts: MAX_LIST_ATTEMPTS }, signal);
  }

  /** @param length bytes to read of each account; undefined: all */
  private async readAccounts(keys: readonly Pubkey[], signal: AbortSignal, length?: number): Promise<Account[]> {
    const accounts: Account[] = [];
    for (let start = 0; start < keys.length; start += MAX_ACCOUNTS_PER_CALL) {
      const chunk = keys.slice(start, start + MAX_ACCOUNTS_PER_CALL);
      const params = [chunk.map(toBase58), readConfig(length)];
      const parse = (result: unknown) => {
        const { slot, list } = readContext(result);
        return list.flatMap((account, index) => this.toAccount(chunk[index], account, slot));
      };
      accounts.push(...(await this.rpc.call({ method: 'getMultipleAccounts', params, parse }, signal)));
    }
    return accounts;
  }

  /** @returns an empty list if the account does not exist or belongs to another program */
  private toAccount(key: Pubkey, account: unknown, slot: Slot): Account[] {
    if (account === null) return [];
    const { owner, data } = asFields(account);
    if (owner !== toBase58(this.options.accountCompression)) return [];
    return [{ key, data: Buffer.from(asText(asList(data)[0]), 'base64'), slot }];
  }
}

function readConfig(length?: number): object {
  return { ...COMMITMENT, encoding: 'base64', ...(length === undefined ? {} : { dataSlice: { offset: 0, length } }) };
}

function readContext(result: unknown): { slot: Slot; list: unknown[] } {
  const { context, value } = asFields(result);
  return { slot: asSlot(asFields(context).slot), list: asList(value) };
}

function isQueue(data: Buffer): boolean {
  return QUEUE_DISCRIMINATORS.some((known) => known.equals(data.subarray(0, 8)));
}

function treeOfQueue(data: Buffer): Pubkey {
  return toPubkey(data.subarray(QUEUE_TREE_OFFSET, QUEUE_TREE_OFFSET + 32));
}
