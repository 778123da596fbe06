export { type Filter, SubscriptionError, type WebSocketClass, type WebSocketLike } from './connection';
export { type From } from './delivery';
export { FresnelClient, type MessagesOptions, type SubscribeOptions, type Subscription } from './fresnel-client';
export {
  type CompressedAccount,
  type MerkleContext,
  type Message,
  type Rollback,
  type SlotReached,
  type TokenBalance,
  type TokenData,
  type Transaction,
  type TransactionSummary,
  type TreeContext,
} from './messages';
