import {
  type AccountProofV2,
  type AccountV2,
  type CompressionInfoV2,
  type IndexerStatus,
  type MintBalance,
  type QueueInfo,
  type SignatureItem,
  type TokenAccountV2,
  type TokenHolder,
  type TreeStatus,
} from '@fresnel/contracts/rpc';
import { call, RpcError } from './call';

interface WithContext<T> {
  context: { slot: number };
  value: T;
}

/** A page of a list. `cursor` is null at the end. */
export interface List<T> {
  items: T[];
  cursor: string | null;
}

export interface TransactionResult {
  transaction: {
    slot: number;
    blockTime: number;
    meta: { fee?: number | bigint; err?: unknown } | null;
    version?: unknown;
  };
  compressionInfo: CompressionInfoV2;
}

const valueOf = async <T>(answer: Promise<WithContext<T>>): Promise<T> => (await answer).value;

/** Null if the server does not offer the method. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.isUnknownMethod) return null;
    throw error;
  }
}

export const getIndexerSlot = () => call<number>('getIndexerSlot');
export const getIndexerStatus = () => orNull(call<IndexerStatus>('getIndexerStatus'));
export const getTreeStatus = (tree: string) =>
  orNull(valueOf(call<WithContext<TreeStatus | null>>('getTreeStatus', { tree })));
export const getQueueInfo = (tree: string) => call<{ queues: QueueInfo[] }>('getQueueInfo', { trees: [tree] });

export const getTransaction = (signature: string) =>
  call<TransactionResult | null>('getTransactionWithCompressionInfoV2', { signature });
export const getLatestSignatures = (limit: number, cursor: string | null = null) =>
  valueOf(call<WithContext<List<SignatureItem>>>('getLatestCompressionSignatures', { limit, cursor }));
export const getAccount = (key: { hash: string } | { address: string }) =>
  valueOf(call<WithContext<AccountV2 | null>>('getCompressedAccountV2', key));
export const getAccountSignatures = async (hash: string) =>
  (await valueOf(call<WithContext<{ items: SignatureItem[] }>>('getCompressionSignaturesForAccount', { hash }))).items;
export const getProof = (hash: string) =>
  valueOf(call<WithContext<AccountProofV2>>('getCompressedAccountProofV2', { hash }));
export const getBalance = (owner: string) =>
  valueOf(call<WithContext<number | bigint>>('getCompressedBalanceByOwner', { owner }));

/** The data of an account on the chain in base64; null if it does not exist, undefined if the server forwards nothing to a node. */
export async function getChainAccountData(pubkey: string): Promise<string | null | undefined> {
  const answer = call<WithContext<{ data: [string, string] } | null>>('getAccountInfo', [
    pubkey,
    { encoding: 'base64' },
  ]);
  const found = await orNull(answer);
  return found === null ? undefined : (found.value?.data[0] ?? null);
}

/** The lists that views show page by page, by method. */
export interface Lists {
  getCompressionSignaturesForOwner: SignatureItem;
  getCompressionSignaturesForTokenOwner: SignatureItem;
  getCompressionSignaturesForAddress: SignatureItem;
  getLatestCompressionSignatures: SignatureItem;
  getCompressedTokenBalancesByOwnerV2: MintBalance;
  getCompressedTokenAccountsByOwnerV2: TokenAccountV2;
  getCompressedAccountsByOwnerV2: AccountV2;
  getCompressedMintTokenHolders: TokenHolder;
}

/** @param subject the params that name what is listed */
export const getPage = <M extends keyof Lists>(
  method: M,
  subject: Record<string, string>,
  limit: number,
  cursor: string | null,
) => valueOf(call<WithContext<List<Lists[M]>>>(method, { ...subject, limit, cursor }));
