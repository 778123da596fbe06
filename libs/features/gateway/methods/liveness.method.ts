import { liveness } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class LivenessMethod implements RpcMethod {
  readonly name = liveness.name;

  call(params: unknown): Promise<string> {
    return Promise.resolve(JSON.stringify(liveness.parseParams(params)));
  }
}
