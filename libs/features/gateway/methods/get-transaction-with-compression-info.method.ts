import { findTransaction, Reader } from '@fresnel/adapters/store-read';
import { CompressionInfo, getTransactionWithCompressionInfo } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentCompressionInfo } from '../present/compression-info.presenter';
import { transactionJson } from '../present/transaction-json';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetTransactionWithCompressionInfoMethod implements RpcMethod {
  readonly name = getTransactionWithCompressionInfo.name;
  private readonly toInfoJson = compileSerializer(CompressionInfo);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { signature } = getTransactionWithCompressionInfo.parseParams(params);
    const found = await findTransaction(this.reader, signature);
    return transactionJson(found, (transaction) => this.toInfoJson(presentCompressionInfo(transaction)));
  }
}
