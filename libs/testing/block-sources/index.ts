export { FakeYellowstone, type StreamRequest, type StreamSubscription } from './fake-yellowstone';
export { createTestRpc, createTestSource, takeBlocks, takeSlots } from './test-block-source';
export { createTestStream } from './test-yellowstone-source';
