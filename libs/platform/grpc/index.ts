export { secureChannel } from './secure-channel';
