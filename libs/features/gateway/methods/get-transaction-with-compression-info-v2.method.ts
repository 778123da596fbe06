import { findTransaction, Reader } from '@fresnel/adapters/store-read';
import { CompressionInfoV2, getTransactionWithCompressionInfoV2 } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentCompressionInfoV2 } from '../present/compression-info.presenter';
import { transactionJson } from '../present/transaction-json';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetTransactionWithCompressionInfoV2Method implements RpcMethod {
  readonly name = getTransactionWithCompressionInfoV2.name;
  private readonly toInfoJson = compileSerializer(CompressionInfoV2);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { signature } = getTransactionWithCompressionInfoV2.parseParams(params);
    const found = await findTransaction(this.reader, signature);
    return transactionJson(found, (transaction) => this.toInfoJson(presentCompressionInfoV2(transaction)));
  }
}
