export { type Filter, SubscriptionError, type WebSocketClass, type WebSocketLike } from './connection';
export { type From } from './delivery';
export { FresnelClient, type MessagesOptions, type SubscribeOptions, type Subscription } from './fresnel-client';
export type * from './generated/methods';
export { type AccountV2 as CompressedAccount } from './generated/methods';
export { type Message, type Rollback, type SlotReached, type Transaction, type TransactionSummary } from './messages';
export { RpcClient, RpcError } from './rpc-client';
