export { type LoadLine, type LoadOptions, longestGap } from './load-line';
export { PodLoad } from './pod-load';
export { PodSubscriber } from './pod-subscriber';
export { TestPod } from './test-pod';
