import { getValidityProofV2 } from '@fresnel/contracts/rpc';
import { Injectable } from '@nestjs/common';
import { presentValidityProofV2 } from '../present/validity-proof.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { requireUnspent } from './require-places';
import { type CallContext, type RpcMethod } from './rpc-method';
import { ValidityProofs } from './validity-proofs';

@Injectable()
export class GetValidityProofV2Method implements RpcMethod {
  readonly name = getValidityProofV2.name;
  private readonly toJson = compileSerializer(getValidityProofV2.result);

  constructor(private readonly proofs: ValidityProofs) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const { hashes, addresses } = getValidityProofV2.parseParams(params);
    const { slot, proof, ...proven } = await this.proofs.prove(hashes, addresses, requireUnspent, context);
    const value = presentValidityProofV2(proof, proven.accounts, proven.addresses);
    return this.toJson({ context: { slot }, value });
  }
}
