import { readiness } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { IndexHealth } from '../health/index-health';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class ReadinessMethod implements RpcMethod {
  readonly name = readiness.name;

  constructor(private readonly health: IndexHealth) {}

  async call(params: unknown): Promise<string> {
    const result = readiness.parseParams(params);
    await this.health.read();
    return JSON.stringify(result);
  }
}
