export { secureChannel, type SecureChannel } from './secure-channel';
