import { getMultipleNewAddressProofsV2 } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { NewAddressProver } from './new-address-prover';
import { type CallContext, type RpcMethod } from './rpc-method';

@Injectable()
export class GetMultipleNewAddressProofsV2Method implements RpcMethod {
  readonly name = getMultipleNewAddressProofsV2.name;

  constructor(private readonly prover: NewAddressProver) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const addressesWithTrees = getMultipleNewAddressProofsV2.parseParams(params);
    return this.prover.prove(addressesWithTrees, context);
  }
}
