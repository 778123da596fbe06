import { findAccount, Reader } from '@fresnel/adapters/store-read';
import { getCompressedAccountV2 } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentAccountV2 } from '../present/account.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressedAccountV2Method implements RpcMethod {
  readonly name = getCompressedAccountV2.name;
  private readonly toJson = compileSerializer(getCompressedAccountV2.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const key = getCompressedAccountV2.parseParams(params);
    const { slot, account } = await findAccount(this.reader, key);
    return this.toJson({ context: { slot }, value: account && presentAccountV2(account, account.isQueued) });
  }
}
