import { findTokenOwnerSignatures, Reader } from '@fresnel/adapters/store-read';
import { getCompressionSignaturesForTokenOwner } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentSignatures } from '../present/signature-list.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressionSignaturesForTokenOwnerMethod implements RpcMethod {
  readonly name = getCompressionSignaturesForTokenOwner.name;
  private readonly toJson = compileSerializer(getCompressionSignaturesForTokenOwner.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { owner, limit, cursor } = getCompressionSignaturesForTokenOwner.parseParams(params);
    const page = await findTokenOwnerSignatures(this.reader, owner, limit, cursor);
    return this.toJson(presentSignatures(page, limit));
  }
}
