import { getAccountInterface } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentAccountInterface } from '../present/account-interface.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { AccountInterfaces } from './account-interfaces';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetAccountInterfaceMethod implements RpcMethod {
  readonly name = getAccountInterface.name;
  private readonly toJson = compileSerializer(getAccountInterface.result);

  constructor(private readonly interfaces: AccountInterfaces) {}

  async call(params: unknown): Promise<string> {
    const { slot, items } = await this.interfaces.find(getAccountInterface.parseParams(params));
    return this.toJson({ context: { slot }, value: presentAccountInterface(items[0]) });
  }
}
