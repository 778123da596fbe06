import { findIndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { getIndexerHealth } from '@fresnel/contracts/rpc';
import { wallClock } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { unhealthyReasons } from '../health/unhealthy-reasons';
import { compileSerializer } from '../responses/compile-serializer';
import { IndexerUnhealthyError } from '../responses/indexer-unhealthy.error';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetIndexerHealthMethod implements RpcMethod {
  readonly name = getIndexerHealth.name;
  private readonly toJson = compileSerializer(getIndexerHealth.result);

  constructor(
    private readonly reader: Reader,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async call(params: unknown): Promise<string> {
    getIndexerHealth.parseParams(params);
    const reason = unhealthyReasons(await findIndexerStatus(this.reader), this.options, wallClock()).at(0);
    if (reason !== undefined) throw new IndexerUnhealthyError(reason);
    return this.toJson('ok');
  }
}
