import { CONTRACTS, FoundAccountInterface } from '@fresnel/contracts/rpc';
import { presentAccountInterface } from '../present/account-interface.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { compileListSerializer, contextText } from '../responses/list-text';
import { AccountInterfaces } from './account-interfaces';
import { defineMethod } from './define-method';

export const ACCOUNT_INTERFACE_METHODS = [
  defineMethod(AccountInterfaces, CONTRACTS.getAccountInterface, () => {
    const toJson = compileSerializer(CONTRACTS.getAccountInterface.result);
    return async (interfaces, request) => {
      const { slot, items } = await interfaces.find(request);
      return toJson({ context: { slot }, value: presentAccountInterface(items[0]) });
    };
  }),
  defineMethod(AccountInterfaces, CONTRACTS.getMultipleAccountInterfaces, () => {
    const toItemsJson = compileListSerializer(FoundAccountInterface);
    return async (interfaces, request) => {
      const { slot, items } = await interfaces.find(request);
      return contextText(slot, await toItemsJson(items, presentAccountInterface));
    };
  }),
];
