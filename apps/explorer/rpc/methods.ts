import { type Methods, RpcError } from '@fresnel/client';
import { rpc } from './client';

type Found = NonNullable<Methods['getTransactionWithCompressionInfoV2']['result']>;

/** A transaction, with the part of the metadata of its node that is shown. */
export type TransactionResult = Found & { transaction: { meta: Meta | null } };

interface Meta {
  fee?: number | bigint;
  /** The keys of lookup tables. */
  loadedAddresses?: { writable: string[] };
}

const valueOf = async <T>(answer: Promise<{ value: T }>): Promise<T> => (await answer).value;

/** Null if the server does not offer the method. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.isUnknownMethod) return null;
    throw error;
  }
}

export const getIndexerSlot = () => rpc.call('getIndexerSlot');
export const getIndexerStatus = () => orNull(rpc.call('getIndexerStatus'));
export const getTreeStatus = (tree: string) => orNull(valueOf(rpc.call('getTreeStatus', { tree })));
export const getQueueInfo = (tree: string) => rpc.call('getQueueInfo', { trees: [tree] });

export const getTransaction = async (signature: string) =>
  (await rpc.call('getTransactionWithCompressionInfoV2', { signature })) as TransactionResult | null;
export const getLatestSignatures = (limit: number, cursor: string | null = null) =>
  valueOf(rpc.call('getLatestCompressionSignatures', { limit, cursor }));
export const getAccount = (key: { hash: string } | { address: string }) =>
  valueOf(rpc.call('getCompressedAccountV2', key));
export const getAccountSignatures = async (hash: string) =>
  (await valueOf(rpc.call('getCompressionSignaturesForAccount', { hash }))).items;
export const getProof = (hash: string) => valueOf(rpc.call('getCompressedAccountProofV2', { hash }));
export const getBalance = (owner: string) => valueOf(rpc.call('getCompressedBalanceByOwner', { owner }));

/** The data of an account on the chain in base64; null if it does not exist, undefined if the server forwards nothing to a node. */
export async function getChainAccountData(pubkey: string): Promise<string | null | undefined> {
  const found = await orNull(rpc.call('getAccountInfo', [pubkey, { encoding: 'base64' }]));
  return found === null ? undefined : (found.value?.data[0] ?? null);
}

/** The methods whose lists views show page by page. */
export type ListMethod =
  | 'getCompressionSignaturesForOwner'
  | 'getCompressionSignaturesForTokenOwner'
  | 'getCompressionSignaturesForAddress'
  | 'getLatestCompressionSignatures'
  | 'getCompressedTokenBalancesByOwnerV2'
  | 'getCompressedTokenAccountsByOwnerV2'
  | 'getCompressedAccountsByOwnerV2'
  | 'getCompressedMintTokenHolders';

export type ItemOf<M extends ListMethod> = Methods[M]['result']['value']['items'][number];

/** A page of a list. `cursor` is null at the end. */
interface List<T> {
  items: T[];
  cursor: string | null;
}

/** @param subject the params that name what is listed */
export async function getPage<M extends ListMethod>(
  method: M,
  subject: Record<string, string>,
  limit: number,
  cursor: string | null,
): Promise<List<ItemOf<M>>> {
  const params = { ...subject, limit, cursor } as Methods[ListMethod]['params'];
  const { value } = await rpc.call<ListMethod>(method, params);
  return value;
}
