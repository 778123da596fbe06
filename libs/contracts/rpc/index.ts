export { CONTRACTS, METHOD_CONTRACTS, type MethodName, WEBSOCKET_CONTRACTS } from './contracts';
export { bodyPoints, type Cost, firstPointsOf, NODE_COST, ONE_POINT, SUBSCRIPTION_COST, type Work } from './cost';
export { type AnyMethodContract, type MethodContract } from './method-contract';
export { type OwnerAccountsParams } from './methods/accounts-by-owner';
export { NonVotingSignature } from './methods/signatures';
export { type QueueLeavesParams } from './methods/queue';
export { fullParams } from './openapi/envelopes';
export { createOpenApi } from './openapi/openapi';
export { createOpenRpc } from './openrpc/openrpc';
export {
  encodeAccountCursor,
  encodeHolderCursor,
  encodeMintCursor,
  encodeSignatureCursor,
  encodeTokenAccountCursor,
} from './params/cursors';
export { encodePushCursor, type PushCursor } from './params/push-cursor';
export {
  FILTER_KINDS,
  type FilterKind,
  type SubscribeParams,
  type SubscriptionFilter,
  type SubscriptionStart,
} from './params/subscription';
export { type SolanaAccountsRequest } from './params/solana-addresses';
export { type DataSlice } from './params/data-filters';
export { type AddressWithTree } from './params/address-with-tree';
export { InvalidParamsError } from './params/invalid-params.error';
export { type Page } from './params/page';
export { type TokenListParams } from './params/token-list';
export { RPC_ERRORS, type RpcErrorKind, type RpcErrorName } from './rpc-errors';
export { Account } from './schemas/account';
export { AccountInterface, FoundAccountInterface, SolanaAccount } from './schemas/account-interface';
export { AccountProof, AccountProofV2 } from './schemas/account-proof';
export { FoundAccount, FoundAccountV2 } from './schemas/account-list';
export { AccountV2 } from './schemas/account-v2';
export { CompressionInfo, CompressionInfoV2, type TokenBalance } from './schemas/compression-info';
export { MAX_ADDRESSES, NewAddressProofItem } from './schemas/new-address-proof';
export { PushedSignature, PushedTransaction, PushNotification } from './schemas/push-notification';
export { type QueueElementsParams, type QueueParams } from './params/queue-elements';
export { QueueNode } from './schemas/queues';
export { QueueInfo } from './schemas/queue-info';
export { type IndexerStatus } from './schemas/indexer-status';
export { MintBalance } from './schemas/mint-balance-list';
export { TokenAccount, TokenAccountV2 } from './schemas/token-account-list';
export { TokenHolder } from './schemas/token-holder-list';
export { type TokenDataObject } from './schemas/token-data';
export { type ValidityProofParams } from './params/validity-proof';
export { type TreeStatus } from './schemas/tree-status';
export { type ValidityProofV2Value, type ValidityProofValue } from './schemas/validity-proof';
export { SignatureItem } from './schemas/signature-list';
export { BASE58_PATTERN } from './schemas/scalars';
