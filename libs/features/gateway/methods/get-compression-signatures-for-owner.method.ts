import { findOwnerSignatures, Reader } from '@fresnel/adapters/store-read';
import { encodeSignatureCursor, getCompressionSignaturesForOwner, SignatureItem } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { nextCursor } from '../present/next-cursor';
import { presentSignature } from '../present/signature.presenter';
import { compileListSerializer, pageText } from '../responses/list-text';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressionSignaturesForOwnerMethod implements RpcMethod {
  readonly name = getCompressionSignaturesForOwner.name;
  private readonly toItemsJson = compileListSerializer(SignatureItem, presentSignature);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { owner, limit, cursor } = getCompressionSignaturesForOwner.parseParams(params);
    const { slot, items } = await findOwnerSignatures(this.reader, owner, limit, cursor);
    return pageText(slot, await this.toItemsJson(items), nextCursor(items, limit, encodeSignatureCursor));
  }
}
