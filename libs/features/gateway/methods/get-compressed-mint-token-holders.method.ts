import { findTokenHolders, Reader } from '@fresnel/adapters/store-read';
import { encodeHolderCursor, getCompressedMintTokenHolders, TokenHolder } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { nextCursor } from '../present/next-cursor';
import { presentHolder } from '../present/token-holder.presenter';
import { compileListSerializer, pageText } from '../responses/list-text';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressedMintTokenHoldersMethod implements RpcMethod {
  readonly name = getCompressedMintTokenHolders.name;
  private readonly toItemsJson = compileListSerializer(TokenHolder, presentHolder);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { mint, limit, cursor } = getCompressedMintTokenHolders.parseParams(params);
    const { slot, items } = await findTokenHolders(this.reader, mint, limit, cursor);
    return pageText(slot, await this.toItemsJson(items), nextCursor(items, limit, encodeHolderCursor));
  }
}
