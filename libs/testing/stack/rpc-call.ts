import { type LedgerOracle } from '@fresnel/ledger-generator';
import { sendHttp } from '@fresnel/testing/generic';

export interface RpcCall {
  method: string;
  params: unknown;
}

/** The response of a gateway, and how long it took. */
export interface RpcAnswer {
  status: number;
  result: unknown;
  /** The error's code; undefined if there is a result. */
  code: number | undefined;
  durationMs: number;
}

/** Makes one call on a new connection. @param client the caller's address, for a gateway that trusts `x-forwarded-for` */
export async function callRpc(url: string, { method, params }: RpcCall, client?: string): Promise<RpcAnswer> {
  const startedAt = performance.now();
  const { status, text } = await sendHttp(url, {
    headers: { 'content-type': 'application/json', ...(client === undefined ? {} : { 'x-forwarded-for': client }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: { code: number } };
  return { status, result, code: error?.code, durationMs: performance.now() - startedAt };
}

/** A call of each method that is answered from the tables alone. */
export function readingCalls(oracle: LedgerOracle): RpcCall[] {
  const hash = oracle.accounts()[0];
  const { signature } = oracle.signatures()[0];
  return [
    { method: 'getIndexerSlot', params: [] },
    { method: 'getCompressedAccount', params: { hash } },
    { method: 'getCompressedAccountV2', params: { hash } },
    { method: 'getTransactionWithCompressionInfo', params: { signature } },
    { method: 'getTransactionWithCompressionInfoV2', params: { signature } },
    { method: 'getCompressionSignaturesForOwner', params: { owner: oracle.owners()[0] } },
    { method: 'getCompressionSignaturesForTokenOwner', params: { owner: oracle.tokenOwners()[0] } },
    { method: 'getCompressedMintTokenHolders', params: { mint: oracle.mints()[0] } },
  ];
}
