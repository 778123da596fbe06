import { defineContract } from '../method-contract';
import { getCompressedAccountBalance } from './get-compressed-account-balance';

export const getCompressedBalance = defineContract({
  ...getCompressedAccountBalance,
  name: 'getCompressedBalance',
  summary: 'Another name of getCompressedAccountBalance.',
});
