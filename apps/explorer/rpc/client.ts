import { type Methods, RpcClient } from '@fresnel/client';

/** The server of this page. */
export const RPC_URL = new URL('.', location.href.replace(/#.*/, '')).href;

/** A method that a server may forward to a Solana node. */
interface NodeMethods {
  getAccountInfo: {
    params: [pubkey: string, options: { encoding: 'base64' }];
    result: { value: { data: [string, string] } | null };
  };
}

export const rpc = new RpcClient<Methods & NodeMethods>(RPC_URL);
