import { CompressionInfo, CompressionInfoV2, CONTRACTS } from '@fresnel/contracts/rpc';
import { presentCompressionInfo, presentCompressionInfoV2 } from '../present/compression-info.presenter';
import { transactionJson } from '../present/transaction-json';
import { compileSerializer } from '../responses/compile-serializer';
import { defineMethod } from './define-method';
import { RawTransactions } from './raw-transactions';

export const TRANSACTION_METHODS = [
  defineMethod(RawTransactions, CONTRACTS.getTransactionWithCompressionInfo, () => {
    const toInfoJson = compileSerializer(CompressionInfo);
    return async (transactions, { signature }) =>
      transactionJson(await transactions.find(signature), (found) => toInfoJson(presentCompressionInfo(found)));
  }),
  defineMethod(RawTransactions, CONTRACTS.getTransactionWithCompressionInfoV2, () => {
    const toInfoJson = compileSerializer(CompressionInfoV2);
    return async (transactions, { signature }) =>
      transactionJson(await transactions.find(signature), (found) => toInfoJson(presentCompressionInfoV2(found)));
  }),
];
