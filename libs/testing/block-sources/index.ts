export { FakeYellowstone, loadGeyser, type StreamRequest, type StreamSubscription } from './fake-yellowstone';
export { createTestRpc, createTestSource, takeBlocks, takeSlots } from './test-block-source';
export { toBlockUpdate } from './yellowstone-block';
export { createTestStream } from './test-yellowstone-source';
