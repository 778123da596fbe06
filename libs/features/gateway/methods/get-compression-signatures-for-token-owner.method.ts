import { findTokenOwnerSignatures, Reader } from '@fresnel/adapters/store-read';
import { encodeSignatureCursor, getCompressionSignaturesForTokenOwner, SignatureItem } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { nextCursor } from '../present/next-cursor';
import { presentSignature } from '../present/signature.presenter';
import { compileListSerializer, pageText } from '../responses/list-text';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressionSignaturesForTokenOwnerMethod implements RpcMethod {
  readonly name = getCompressionSignaturesForTokenOwner.name;
  private readonly toItemsJson = compileListSerializer(SignatureItem, presentSignature);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { owner, limit, cursor } = getCompressionSignaturesForTokenOwner.parseParams(params);
    const { slot, items } = await findTokenOwnerSignatures(this.reader, owner, limit, cursor);
    return pageText(slot, await this.toItemsJson(items), nextCursor(items, limit, encodeSignatureCursor));
  }
}
