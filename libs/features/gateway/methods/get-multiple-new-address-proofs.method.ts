import { getMultipleNewAddressProofs } from '@fresnel/contracts/rpc';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { compileSerializer } from '../responses/compile-serializer';
import { newAddressPoints } from './new-address-points';
import { NewAddressProver } from './new-address-prover';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetMultipleNewAddressProofsMethod implements RpcMethod {
  readonly name = getMultipleNewAddressProofs.name;
  readonly pointsOf = newAddressPoints;
  private readonly toJson = compileSerializer(getMultipleNewAddressProofs.result);

  constructor(
    private readonly prover: NewAddressProver,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async call(params: unknown): Promise<string> {
    const addresses = getMultipleNewAddressProofs.parseParams(params);
    const tree = this.options.defaultAddressTree;
    return this.toJson(await this.prover.prove(addresses.map((address) => ({ address, tree }))));
  }
}
