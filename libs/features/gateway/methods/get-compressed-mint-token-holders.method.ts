import { findTokenHolders, Reader } from '@fresnel/adapters/store-read';
import { encodeHolderCursor, getCompressedMintTokenHolders } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { nextCursor } from '../present/next-cursor';
import { compileSerializer } from '../responses/compile-serializer';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetCompressedMintTokenHoldersMethod implements RpcMethod {
  readonly name = getCompressedMintTokenHolders.name;
  private readonly toJson = compileSerializer(getCompressedMintTokenHolders.result);

  constructor(private readonly reader: Reader) {}

  async call(params: unknown): Promise<string> {
    const { mint, limit, cursor } = getCompressedMintTokenHolders.parseParams(params);
    const { slot, items } = await findTokenHolders(this.reader, mint, limit, cursor);
    return this.toJson({
      context: { slot },
      value: {
        items: items.map(({ owner, balance }) => ({ owner: toBase58(owner), balance })),
        cursor: nextCursor(items, limit, encodeHolderCursor),
      },
    });
  }
}
