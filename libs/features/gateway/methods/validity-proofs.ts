import { type NewAddressProof, type NewAddressProofs, unpackProofs } from '@fresnel/adapters/prover-client';
import {
  findIndexedSlot,
  findProofSlots,
  findTrees,
  type LeafPlace,
  Reader,
  type TreeRecord,
} from '@fresnel/adapters/store-read';
import { HttpValidityProver, type ValidityProver } from '@fresnel/adapters/validity-prover';
import { type AddressWithTree, InvalidParamsError } from '@fresnel/contracts/rpc';
import { type Hash, keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type CompressedProof, explainMissingCircuit } from '@fresnel/domain/trees/validity-proofs';
import { Inject, Injectable } from '@nestjs/common';
import { type ProvenLeaf } from '../present/account-proof.presenter';
import { CallStateError } from '../responses/call-state.error';
import { groupByTree } from './group-by-tree';
import { LeafProver } from './leaf-prover';
import { type ProvenAddress, requirePaths, toProofInputs } from './proof-inputs';
import { ProverOnBranch } from './prover-on-branch';
import { type CallContext } from './rpc-method';

/** Accounts and addresses with their paths, and the zero-knowledge proof of them; null if no path is left to prove. */
export interface ProvenRequest {
  /** The lowest slot of the trees involved. */
  slot: number;
  accounts: ProvenLeaf[];
  addresses: ProvenAddress[];
  proof: CompressedProof | null;
}

/** The proofs of one tree, by `keyOf` of their addresses. */
interface ProvenTree extends NewAddressProofs {
  items: ReadonlyMap<string, NewAddressProof>;
  record: TreeRecord;
}

/** Throws for accounts that a method does not prove. */
export type RequirePlaces = (places: readonly LeafPlace[]) => void;

/** Answers both methods for validity proofs. */
@Injectable()
export class ValidityProofs {
  constructor(
    private readonly prover: ProverOnBranch,
    private readonly leaves: LeafProver,
    private readonly reader: Reader,
    /** Null: none is configured. */
    @Inject(HttpValidityProver) private readonly validityProver: ValidityProver | null,
  ) {}

  /** Reads the paths, and has a circuit prove those of accounts that are not in an output queue. */
  async prove(
    hashes: readonly Hash[],
    requests: readonly AddressWithTree[],
    requirePlaces: RequirePlaces,
    context?: CallContext,
  ): Promise<ProvenRequest> {
    const [leaves, addresses] = await Promise.all([
      hashes.length === 0 ? null : this.leaves.prove(hashes, requirePlaces, context),
      this.proveAddresses(requests, context),
    ]);
    const accounts = leaves?.items ?? [];
    const slots = [leaves?.slot, ...addresses.map(({ slot }) => slot)].filter((slot) => slot !== undefined);
    const slot = slots.length > 0 ? Math.min(...slots) : await findIndexedSlot(this.reader);
    return { slot, accounts, addresses, proof: await this.proveInCircuit(accounts, addresses) };
  }

  private async proveAddresses(
    requests: readonly AddressWithTree[],
    context?: CallContext,
  ): Promise<(ProvenAddress & { slot: number })[]> {
    if (requests.length === 0) return [];
    const groups = groupByTree(requests);
    const trees = await findTrees(
      this.reader,
      groups.map(({ tree }) => tree),
    );
    const proofSlots = await findProofSlots(this.reader);
    const proven = new Map<string, ProvenTree>();
    await Promise.all(
      groups.map(async ({ tree, items: asked }) => {
        const record = trees.get(keyOf(tree));
        if (!record) throw new CallStateError(`Tree ${toBase58(tree)} is not known`);
        const addresses = asked.map(({ address }) => address);
        const proofs = await this.prover.proveNewAddresses(tree, addresses, proofSlots, context);
        const items = new Map(unpackProofs(proofs).map((proof) => [keyOf(proof.address), proof]));
        proven.set(keyOf(tree), { ...proofs, items, record });
      }),
    );
    return requests.map(({ tree, address }) => {
      const proofs = proven.get(keyOf(tree));
      const proof = proofs?.items.get(keyOf(address));
      if (!proofs || !proof) throw new Error('the prover did not return a proof of each address');
      const { root, rootSeq, record, slot } = proofs;
      return { tree: record, root, rootSeq, proof, slot };
    });
  }

  private async proveInCircuit(
    accounts: readonly ProvenLeaf[],
    addresses: readonly ProvenAddress[],
  ): Promise<CompressedProof | null> {
    const appended = accounts.filter(({ path }) => path !== null);
    if (appended.length + addresses.length === 0) return null;
    const version = versionOf([...appended.map(({ place }) => place), ...addresses.map(({ tree }) => tree)]);
    if (!this.validityProver) {
      throw new CallStateError('No prover for validity proofs is configured: set VALIDITY_PROVER_URL');
    }
    const size = { version, accounts: appended.length, addresses: addresses.length };
    const missing = explainMissingCircuit(size, this.validityProver.circuits);
    if (missing !== null) throw new InvalidParamsError(missing);
    const inputs = toProofInputs(version, appended, addresses);
    // There is no proof of wrong inputs, and a validity prover would look for one for seconds.
    requirePaths(inputs);
    return await this.validityProver.prove(inputs);
  }
}

/** The version of all trees. */
function versionOf(trees: readonly Pick<TreeRecord, 'treeType'>[]): 1 | 2 {
  const versions = new Set(trees.map(({ treeType }) => (treeType === 'stateV1' || treeType === 'addressV1' ? 1 : 2)));
  if (versions.size > 1) {
    throw new InvalidParamsError('accounts and addresses of V1 and of V2 trees cannot be proven together');
  }
  return versions.has(1) ? 1 : 2;
}
