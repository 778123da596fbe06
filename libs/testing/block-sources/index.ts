export { createTestRpc, createTestSource, takeBlocks, takeSlots } from './test-block-source';
export { createTestStream } from './test-yellowstone-source';
