import { be32, toBase58 } from '@fresnel/domain/primitives';
import { type AddressWithTree, generatedTrees, type LedgerOracle } from '@fresnel/ledger-generator';

/** Number of addresses per tree. */
const ADDRESSES = 2;

/** A proof of the oracle or of a gateway. */
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

/** The oracle's proofs of some new addresses after each block of a ledger: every answer that can be correct. */
export class ProofHistory {
  /** Addresses in each address tree. */
  readonly questions: AddressWithTree[];
  private readonly proofs = new Set<string>();

  constructor() {
    const trees = generatedTrees().filter(({ type }) => type === 'addressV1' || type === 'addressV2');
    this.questions = trees.flatMap(({ tree }) =>
      Array.from({ length: ADDRESSES }, (_, at) => ({
        address: toBase58(be32(((2n ** 248n - 1n) / BigInt(ADDRESSES + 1)) * BigInt(at + 1))),
        tree: toBase58(tree),
      })),
    );
  }

  /** Adds the correct proofs after a block. */
  record(oracle: LedgerOracle): void {
    const answer = oracle.getMultipleNewAddressProofsV2(this.questions);
    if (answer.outcome !== 'proofs') throw new Error(`the oracle refuses proofs: ${answer.outcome}`);
    for (const proof of answer.value) this.proofs.add(textOf(proof));
  }

  /** Whether each proof of a response for all questions was correct after one of the blocks. */
  isCorrect(result: unknown): boolean {
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
