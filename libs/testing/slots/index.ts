export { type Fork, forkSlots } from './forked-slots';
export { consumedAccount, createdAccount, slotUpdate, TEST_STATE_TREE, testHash, testSignature } from './slot-updates';
