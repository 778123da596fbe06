import {
  asFields,
  asList,
  asSlot,
  asText,
  MalformedTextError,
  parsePubkey,
  type Pubkey,
  type Slot,
  toBase58,
  toSlot,
} from '@fresnel/domain/primitives';
import { TREE_HEADER_BYTES } from '@fresnel/domain/trees';
import { type TreeLookup } from './block-source';
import { RpcAnswerError } from './rpc-answer';
import { RpcUnavailableError, type SolanaRpc } from './solana-rpc';

/** An account of the program. */
export interface Account {
  key: Pubkey;
  data: Buffer;
  slot: Slot;
}

/** Some accounts, and the slot of the answer. */
export interface Accounts {
  accounts: Account[];
  slot: Slot;
}

/** Which state to read, and how long to retry. */
export type Reading = Omit<TreeLookup, 'accounts'>;

/** Bytes that an account must have at an offset. */
export interface AccountFilter {
  offset: number;
  bytes: Buffer;
}

/** Limit of `getMultipleAccounts`. */
export const MAX_ACCOUNTS_PER_CALL = 100;
/** Limited, because some nodes never list the accounts of a program. */
const MAX_LIST_ATTEMPTS = 6;

/**
 * Reads one account, whatever program owns it, and the slot of the answer.
 *
 * @returns `data` is null if the account does not exist
 * @throws RpcUnavailableError, RpcAnswerError
 */
export async function readAccount(
  rpc: SolanaRpc,
  key: Pubkey,
  { minContextSlot, retryForMs }: Reading,
  signal: AbortSignal,
): Promise<{ data: Buffer | null; slot: Slot }> {
  const parse = (result: unknown) => {
    const { list, slot } = readContext(result, minContextSlot);
    return { data: list[0] === null ? null : dataOf(asFields(list[0])), slot };
  };
  const params = [[toBase58(key)], await readConfig(rpc, minContextSlot)];
  return rpc.call({ method: 'getMultipleAccounts', params, parse, retryForMs }, signal);
}

/** Reads accounts that one program owns. */
export class ProgramAccounts {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly program: Pubkey,
  ) {}

  /** Lists the headers of all accounts that match the filters. @throws RpcUnavailableError, RpcAnswerError */
  async list(filters: readonly AccountFilter[], minContextSlot: Slot, signal: AbortSignal): Promise<Account[]> {
    const memcmp = filters.map(({ offset, bytes }) => ({ memcmp: { offset, bytes: toBase58(bytes) } }));
    const config = {
      ...(await readConfig(this.rpc, minContextSlot, TREE_HEADER_BYTES)),
      filters: memcmp,
      withContext: true,
    };
    const parse = (result: unknown) => {
      const { slot, list } = readContext(result, minContextSlot);
      return list.flatMap((entry) => {
        const { pubkey, account } = asFields(entry);
        return this.toAccount(parsePubkey(asText(pubkey)), account, slot);
      });
    };
    const params = [toBase58(this.program), config];
    return this.rpc.call({ method: 'getProgramAccounts', params, parse, maxAttempts: MAX_LIST_ATTEMPTS }, signal);
  }

  /**
   * Reads accounts by key. Accounts that belong to another program are left out, and those that no endpoint has.
   *
   * @param keys at most MAX_ACCOUNTS_PER_CALL
   * @param length bytes to read of each account; undefined: all
   * @throws RpcUnavailableError, RpcAnswerError
   */
  async read(
    keys: readonly Pubkey[],
    { minContextSlot, retryForMs }: Reading,
    signal: AbortSignal,
    length?: number,
  ): Promise<Accounts> {
    if (keys.length === 0) return { accounts: [], slot: toSlot(Number.MAX_SAFE_INTEGER) };
    const config = await readConfig(this.rpc, minContextSlot, length);
    const callFor = (asked: readonly Pubkey[]) => this.readCall(asked, minContextSlot, config);
    const found = await this.rpc.call({ ...callFor(keys), retryForMs }, signal);
    const endpoints = this.rpc.endpointCount > 1 ? this.rpc.endpoints() : [];
    for (const endpoint of endpoints) {
      if (found.missing.length === 0) break;
      const more = await endpoint.call({ ...callFor(found.missing), maxAttempts: 1 }, signal).catch(orNone);
      if (!more) continue;
      found.accounts.push(...more.accounts);
      found.missing = more.missing;
    }
    return { accounts: found.accounts, slot: found.slot };
  }

  private readCall(keys: readonly Pubkey[], minContextSlot: Slot, config: object) {
    const parse = (result: unknown) => {
      const { slot, list } = readContext(result, minContextSlot);
      if (list.length !== keys.length) throw new MalformedTextError(`expected ${keys.length} accounts`);
      const accounts = list.flatMap((account, index) => this.toAccount(keys[index], account, slot));
      return { slot, accounts, missing: keys.filter((_, index) => list[index] === null) };
    };
    return { method: 'getMultipleAccounts', params: [keys.map(toBase58), config], parse };
  }

  private toAccount(key: Pubkey, account: unknown, slot: Slot): Account[] {
    if (account === null) return [];
    const fields = asFields(account);
    return fields.owner === toBase58(this.program) ? [{ key, data: dataOf(fields), slot }] : [];
  }
}

/** An endpoint that does not answer has none of the accounts that others lack. */
function orNone(error: unknown): null {
  if (error instanceof RpcUnavailableError || error instanceof RpcAnswerError) return null;
  throw error;
}

function dataOf({ data }: ReturnType<typeof asFields>): Buffer {
  return Buffer.from(asText(asList(data)[0]), 'base64');
}

/** A node that is behind `minContextSlot` rejects the request. */
async function readConfig(rpc: SolanaRpc, minContextSlot: Slot, length?: number): Promise<object> {
  const slice = length === undefined ? {} : { dataSlice: { offset: 0, length } };
  return { commitment: await rpc.findCommitment(), encoding: 'base64', minContextSlot, ...slice };
}

/** @throws MalformedTextError when the answer is older than requested: a proxy may drop `minContextSlot` */
function readContext(result: unknown, minContextSlot: Slot): { slot: Slot; list: unknown[] } {
  const { context, value } = asFields(result);
  const slot = asSlot(asFields(context).slot);
  if (slot < minContextSlot) throw new MalformedTextError(`the answer is of slot ${slot}, behind ${minContextSlot}`);
  return { slot, list: asList(value) };
}
