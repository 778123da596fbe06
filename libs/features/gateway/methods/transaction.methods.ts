import { findTransaction, Reader } from '@fresnel/adapters/store-read';
import { CompressionInfo, CompressionInfoV2, CONTRACTS } from '@fresnel/contracts/rpc';
import { presentCompressionInfo, presentCompressionInfoV2 } from '../present/compression-info.presenter';
import { transactionJson } from '../present/transaction-json';
import { compileSerializer } from '../responses/compile-serializer';
import { defineMethod } from './define-method';

export const TRANSACTION_METHODS = [
  defineMethod(Reader, CONTRACTS.getTransactionWithCompressionInfo, () => {
    const toInfoJson = compileSerializer(CompressionInfo);
    return async (reader, { signature }) =>
      transactionJson(await findTransaction(reader, signature), (found) => toInfoJson(presentCompressionInfo(found)));
  }),
  defineMethod(Reader, CONTRACTS.getTransactionWithCompressionInfoV2, () => {
    const toInfoJson = compileSerializer(CompressionInfoV2);
    return async (reader, { signature }) =>
      transactionJson(await findTransaction(reader, signature), (found) => toInfoJson(presentCompressionInfoV2(found)));
  }),
];
