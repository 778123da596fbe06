import { findOwnerSignatures, Reader } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForOwner } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentSignatures } from '../present/signature-list.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressionSignaturesForOwnerMethod implements RpcMethod {
  readonly name = getCompressionSignaturesForOwner.name;
  private readonly toJson = compileSerializer(getCompressionSignaturesForOwner.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { owner, limit, cursor } = getCompressionSignaturesForOwner.parseParams(params);
    const page = await findOwnerSignatures(this.reader, owner, limit, cursor);
    return this.toJson(presentSignatures(page, limit));
  }
}
