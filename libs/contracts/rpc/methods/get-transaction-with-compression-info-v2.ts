import { TRANSACTION_COST } from '../cost';
import { defineContract } from '../method-contract';
import { CompressionInfoV2, transactionWith } from '../schemas/compression-info';
import { EXAMPLE_ACCOUNT_V2, EXAMPLE_TOKEN_DATA, EXAMPLE_TRANSACTION } from './example-values';
import { getTransactionWithCompressionInfo } from './get-transaction-with-compression-info';

const EXAMPLE_INFO: CompressionInfoV2 = {
  closedAccounts: [],
  openedAccounts: [{ account: EXAMPLE_ACCOUNT_V2, optionalTokenData: EXAMPLE_TOKEN_DATA }],
};

export const getTransactionWithCompressionInfoV2 = defineContract({
  name: 'getTransactionWithCompressionInfoV2',
  summary:
    'Like getTransactionWithCompressionInfo, with accounts in the V2 form, and with the nullifiers of closed accounts.',
  description:
    'proveByIndex of an opened account has its value at creation: true for an output of a V2 tree. For a closed account it ' +
    'has its current value.',
  params: getTransactionWithCompressionInfo.params,
  parseParams: getTransactionWithCompressionInfo.parseParams,
  result: transactionWith(CompressionInfoV2),
  cost: TRANSACTION_COST,
  errors: getTransactionWithCompressionInfo.errors,
  example: {
    params: getTransactionWithCompressionInfo.example.params,
    result: { transaction: EXAMPLE_TRANSACTION, compressionInfo: EXAMPLE_INFO, compression_info: EXAMPLE_INFO },
  },
});
