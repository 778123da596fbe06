import { findIndexedSlot, type LeafPlace, Reader } from '@fresnel/adapters/store-read';
import { type MethodContract } from '@fresnel/contracts/rpc';
import { type Hash } from '@fresnel/domain/primitives';
import { Injectable, type Type } from '@nestjs/common';
import { type Static, type TSchema } from 'typebox';
import { type LeafToPresent } from '../present/account-proof.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { compileListSerializer, contextText } from '../responses/list-text';
import { LeafProver } from './leaf-prover';
import { type CallContext, type RpcMethod } from './rpc-method';

/** What the methods for proofs of accounts differ in. */
interface ProofParts<Schema extends TSchema> {
  /** Schema of a proof. */
  item: Schema;
  /** Throws for accounts that the method does not prove. */
  requirePlaces: (places: readonly LeafPlace[]) => void;
  /** Creates a presenter of the proofs of one response. */
  createPresenter: () => (leaf: LeafToPresent) => Static<Schema>;
}

/** Defines a method that returns a list of proofs. */
export function defineAccountProofsMethod<Schema extends TSchema>(
  { name, parseParams }: MethodContract<Hash[], TSchema>,
  parts: ProofParts<Schema>,
): Type<RpcMethod> {
  @Injectable()
  class AccountProofsMethod implements RpcMethod {
    readonly name = name;
    private readonly toItemsJson = compileListSerializer(parts.item, (proof: Static<Schema>) => proof);

    constructor(
      private readonly prover: LeafProver,
      private readonly reader: Reader,
    ) {}

    async call(params: unknown, context?: CallContext): Promise<string> {
      const hashes = parseParams(params);
      if (hashes.length === 0) return contextText(await findIndexedSlot(this.reader), '[]');
      const { slot, items } = await this.prover.prove(hashes, parts.requirePlaces, context);
      return contextText(slot, await this.toItemsJson(items.map(parts.createPresenter())));
    }
  }
  return AccountProofsMethod;
}

/** Defines a method that returns one proof. */
export function defineAccountProofMethod<Schema extends TSchema>(
  { name, parseParams }: MethodContract<{ hash: Hash }, TSchema>,
  parts: ProofParts<Schema>,
): Type<RpcMethod> {
  @Injectable()
  class AccountProofMethod implements RpcMethod {
    readonly name = name;
    private readonly toJson = compileSerializer(parts.item);

    constructor(private readonly prover: LeafProver) {}

    async call(params: unknown, context?: CallContext): Promise<string> {
      const { hash } = parseParams(params);
      const { slot, items } = await this.prover.prove([hash], parts.requirePlaces, context);
      return contextText(slot, this.toJson(parts.createPresenter()(items[0])));
    }
  }
  return AccountProofMethod;
}
