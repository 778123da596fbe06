export { type LoadLine, type LoadOptions } from './load-line';
export { PodLoad } from './pod-load';
