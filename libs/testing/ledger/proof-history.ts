import { be32, toBase58 } from '@fresnel/domain/primitives';
import { type AddressWithTree, type GeneratedBlock, generatedTrees, LedgerOracle } from '@fresnel/ledger-generator';

/** Of each tree. */
const ADDRESSES = 2;

/** A proof as the oracle gives it and as it comes over the wire. */
interface ComparableProof {
  address: string;
  merkleTree: string;
  root: string;
  rootSeq: bigint | number;
  lowElementLeafIndex: number;
  lowerRangeAddress: string;
  nextIndex: number;
  higherRangeAddress: string;
  proof: string[];
}

/** What the oracle proves of a few new addresses after each block of a ledger: all answers that can ever be right. */
export class ProofHistory {
  /** In each address tree. */
  readonly questions: AddressWithTree[];
  private readonly proofs = new Set<string>();

  constructor(blocks: readonly GeneratedBlock[]) {
    const trees = generatedTrees().filter(({ type }) => type === 'addressV1' || type === 'addressV2');
    this.questions = trees.flatMap(({ tree }) =>
      Array.from({ length: ADDRESSES }, (_, at) => ({
        address: toBase58(be32(((2n ** 248n - 1n) / BigInt(ADDRESSES + 1)) * BigInt(at + 1))),
        tree: toBase58(tree),
      })),
    );
    const oracle = new LedgerOracle();
    for (const block of blocks) {
      oracle.apply(block);
      const answer = oracle.getMultipleNewAddressProofsV2(this.questions);
      if (answer.outcome !== 'proofs') throw new Error(`the oracle proves nothing: ${answer.outcome}`);
      for (const proof of answer.value) this.proofs.add(textOf(proof));
    }
  }

  /** Whether the result of a request for proofs of all the questions was right after one of the blocks, tree by tree. */
  isRight(result: unknown): boolean {
    const { value } = result as { value: ComparableProof[] };
    const asked = this.questions.map(({ address, tree }) => `${address} ${tree}`);
    const answered = value.map(({ address, merkleTree }) => `${address} ${merkleTree}`);
    return asked.join() === answered.join() && value.every((proof) => this.proofs.has(textOf(proof)));
  }
}

function textOf(proof: ComparableProof): string {
  return [
    proof.address,
    proof.merkleTree,
    proof.root,
    String(proof.rootSeq),
    String(proof.lowElementLeafIndex),
    proof.lowerRangeAddress,
    String(proof.nextIndex),
    proof.higherRangeAddress,
    ...proof.proof,
  ].join();
}
