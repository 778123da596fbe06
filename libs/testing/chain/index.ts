export { type FakeAccount } from './fake-accounts';
export { blockhashAt, blockLinkAt, type FakeBlock, linkBlocks, range } from './fake-chain';
export {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  FakeNode,
  LONG_TERM_SLOT_SKIPPED,
  MIN_CONTEXT_SLOT_NOT_REACHED,
  type NodeRequest,
  SLOT_SKIPPED,
} from './fake-node';
export { isLinkedTo } from './is-linked-to';
export { type Fault } from './planned-faults';
export { FakeSubscriptions, type SubscriptionCall } from './fake-subscriptions';
export { encodeNullifierQueueAccount, encodeQueueAccount, encodeTreeAccount } from './tree-account';
