import { findTransaction } from '@fresnel/adapters/store-read';
import { CompressionInfo, getTransactionWithCompressionInfo } from '@fresnel/contracts/rpc';
import { presentCompressionInfo } from '../present/compression-info.presenter';
import { compileSerializer } from '../rpc/compile-serializer';
import { transactionText } from '../present/transaction-text';
import { defineTextMethod } from './method';

const infoText = compileSerializer(CompressionInfo);

export const getTransactionWithCompressionInfoMethod = defineTextMethod(
  getTransactionWithCompressionInfo,
  ({ signature }, { reader }) => findTransaction(reader, signature),
  (found) => transactionText(found, (transaction) => infoText(presentCompressionInfo(transaction))),
);
