import { findAccount, Reader } from '@fresnel/adapters/store-read';
import { getCompressedAccount } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentAccount } from '../present/account.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressedAccountMethod implements RpcMethod {
  readonly name = getCompressedAccount.name;
  private readonly toJson = compileSerializer(getCompressedAccount.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const key = getCompressedAccount.parseParams(params);
    const { slot, account } = await findAccount(this.reader, key);
    return this.toJson({ context: { slot }, value: account && presentAccount(account) });
  }
}
