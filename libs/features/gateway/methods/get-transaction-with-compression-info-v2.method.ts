import { findTransaction } from '@fresnel/adapters/store-read';
import { CompressionInfoV2, getTransactionWithCompressionInfoV2 } from '@fresnel/contracts/rpc';
import { presentCompressionInfoV2 } from '../present/compression-info.presenter';
import { transactionText } from '../present/transaction-text';
import { compileSerializer } from '../rpc/compile-serializer';
import { defineTextMethod } from './method';

const infoText = compileSerializer(CompressionInfoV2);

export const getTransactionWithCompressionInfoV2Method = defineTextMethod(
  getTransactionWithCompressionInfoV2,
  ({ signature }, { reader }) => findTransaction(reader, signature),
  (found) => transactionText(found, (transaction) => infoText(presentCompressionInfoV2(transaction))),
);
