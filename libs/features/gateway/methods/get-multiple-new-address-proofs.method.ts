import { getMultipleNewAddressProofs } from '@fresnel/contracts/rpc';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { NewAddressProver } from './new-address-prover';
import { type CallContext, type RpcMethod } from './rpc-method';

@Injectable()
export class GetMultipleNewAddressProofsMethod implements RpcMethod {
  readonly name = getMultipleNewAddressProofs.name;

  constructor(
    private readonly prover: NewAddressProver,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const addresses = getMultipleNewAddressProofs.parseParams(params);
    const tree = this.options.DEFAULT_ADDRESS_TREE;
    return this.prover.prove(
      addresses.map((address) => ({ address, tree })),
      context,
    );
  }
}
