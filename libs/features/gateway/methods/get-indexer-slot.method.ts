import { findIndexedSlot, Reader } from '@fresnel/adapters/store-read';
import { getIndexerSlot } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetIndexerSlotMethod implements RpcMethod {
  readonly name = getIndexerSlot.name;
  private readonly toJson = compileSerializer(getIndexerSlot.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    getIndexerSlot.parseParams(params);
    return this.toJson(await findIndexedSlot(this.reader));
  }
}
