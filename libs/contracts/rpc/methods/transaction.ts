import { type Signature } from '@fresnel/domain/primitives';
import { TRANSACTION_COST } from '../cost';
import { defineContract } from '../method-contract';
import { readSignature } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { closedObject } from '../schemas/closed-object';
import { CompressionInfo, CompressionInfoV2, transactionWith } from '../schemas/compression-info';
import { SignatureText } from '../schemas/scalars';
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_ACCOUNT_V2,
  EXAMPLE_SIGNATURE,
  EXAMPLE_TOKEN_DATA,
  EXAMPLE_TRANSACTION,
} from './example-values';

export interface TransactionParams {
  signature: Signature;
}

const { mint, owner, amount } = EXAMPLE_TOKEN_DATA;

const EXAMPLE_INFO: CompressionInfo = {
  closedAccounts: [],
  openedAccounts: [{ account: EXAMPLE_ACCOUNT, optionalTokenData: EXAMPLE_TOKEN_DATA }],
  postTokenBalances: [{ owner, mint, amount }],
};

export const getTransactionWithCompressionInfo = defineContract({
  name: 'getTransactionWithCompressionInfo',
  summary: 'A transaction with the compressed accounts that it closed (consumed) and opened (created).',
  description:
    'Null if the transaction is unknown, not indexed yet, failed, or without compression. Both lists are empty if a ' +
    'transaction with compression changed no account. `compressionInfo` and `compression_info` have the same content.',
  params: closedObject({ signature: SignatureText }),
  parseParams: (params): TransactionParams => ({
    signature: required(readMembers(params, 'params', ['signature']), 'signature', readSignature),
  }),
  result: transactionWith(CompressionInfo),
  cost: TRANSACTION_COST,
  errors: [
    { kind: 'invalidParams', when: 'signature is missing or not base58 of 64 bytes' },
    {
      kind: 'internalError',
      when: 'the history source of the transaction gave no bytes of it, and no node has it; data.signature names it',
    },
  ],
  example: {
    params: { signature: EXAMPLE_SIGNATURE },
    result: { transaction: EXAMPLE_TRANSACTION, compressionInfo: EXAMPLE_INFO, compression_info: EXAMPLE_INFO },
  },
});

const EXAMPLE_INFO_V2: CompressionInfoV2 = {
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
    result: { transaction: EXAMPLE_TRANSACTION, compressionInfo: EXAMPLE_INFO_V2, compression_info: EXAMPLE_INFO_V2 },
  },
});
