export { openDemoChain, showDemo } from './demo';
