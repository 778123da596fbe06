import { getValidityProof } from '@fresnel/contracts/rpc';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { presentValidityProof } from '../present/validity-proof.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { requireAppended } from './require-places';
import { type CallContext, type RpcMethod } from './rpc-method';
import { ValidityProofs } from './validity-proofs';

@Injectable()
export class GetValidityProofMethod implements RpcMethod {
  readonly name = getValidityProof.name;
  private readonly toJson = compileSerializer(getValidityProof.result);

  constructor(
    private readonly proofs: ValidityProofs,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const { hashes, addresses, defaultTreeAddresses } = getValidityProof.parseParams(params);
    const tree = this.options.DEFAULT_ADDRESS_TREE;
    const requests = [...addresses, ...defaultTreeAddresses.map((address) => ({ address, tree }))];
    const { slot, proof, ...proven } = await this.proofs.prove(hashes, requests, requireAppended, context);
    if (!proof) throw new Error('a request without accounts in an output queue has a proof');
    const value = presentValidityProof(proof, proven.accounts, proven.addresses);
    return this.toJson({ context: { slot }, value });
  }
}
