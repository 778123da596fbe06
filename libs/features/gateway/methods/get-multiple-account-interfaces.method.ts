import { FoundAccountInterface, getMultipleAccountInterfaces } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentAccountInterface } from '../present/account-interface.presenter';
import { compileListSerializer, contextText } from '../responses/list-text';
import { AccountInterfaces } from './account-interfaces';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetMultipleAccountInterfacesMethod implements RpcMethod {
  readonly name = getMultipleAccountInterfaces.name;
  private readonly toJson = compileListSerializer(FoundAccountInterface, presentAccountInterface);

  constructor(private readonly interfaces: AccountInterfaces) {}

  async call(params: unknown): Promise<string> {
    const { slot, items } = await this.interfaces.find(getMultipleAccountInterfaces.parseParams(params));
    return contextText(slot, await this.toJson(items));
  }
}
