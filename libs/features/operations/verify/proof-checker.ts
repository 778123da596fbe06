import {
  asFields,
  asList,
  asSlot,
  type Hash,
  type Hasher,
  messageOf,
  type Pubkey,
  type Slot,
  toBase58,
} from '@fresnel/domain/primitives';
import { type AddressTreeType } from '@fresnel/domain/trees';
import { pauseAfter } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type AskIndex, type Side } from './ask-index';
import { checkAccountProof, checkNewAddressProof, type ProofCheck, type ProvenRoot } from './check-proofs';
import { type Asking, MAX_ATTEMPTS } from './compare-answers';
import { type NodeRoots } from './node-roots';
import { contradicted, type Outcome } from './verification';

/** A proof that is asked for. */
interface ProofCall {
  method: string;
  params: unknown;
  check: (value: unknown) => ProofCheck;
  /** Whether the index must have this proof, also if it refuses to give it. */
  isDue: () => Promise<boolean>;
}

/** What one attempt has shown; `reason`: another one may show more. */
type Attempt = Outcome | { reason: string; isRefusal: boolean };

const REFUSED = /^error -32000:/;

/** Verifies the proofs of an index by hashing, and their roots with the root histories of the chain. */
export class ProofChecker {
  constructor(
    private readonly hasher: Hasher,
    /** Null: without a node, roots are not compared. */
    private readonly roots: NodeRoots | null,
    private readonly asking: Asking,
  ) {}

  /** Asks for the proof of an account. @returns null if the account is unknown or spent */
  async checkAccount(side: Side, ask: AskIndex, hash: string): Promise<Outcome | null> {
    const isUnspent = async () => {
      const answer = await ask('getCompressedAccountV2', { hash }, this.asking.signal);
      if ('failure' in answer) return answer;
      try {
        return asFields(answer.result).value !== null;
      } catch (error) {
        return { failure: messageOf(error) };
      }
    };
    const isDue = await isUnspent();
    if (typeof isDue !== 'boolean') return { result: 'not-checked', reason: isDue.failure };
    if (!isDue) return null;
    return this.run(side, ask, {
      method: 'getCompressedAccountProofV2',
      params: { hash },
      check: (value) => checkAccountProof(value, hash, this.hasher),
      isDue: async () => (await isUnspent()) === true,
    });
  }

  /** Asks for the proof that a new address is not in a tree. */
  checkNewAddress(
    side: Side,
    ask: AskIndex,
    { address, tree, type }: { address: Hash; tree: Pubkey; type: AddressTreeType },
  ): Promise<Outcome> {
    return this.run(side, ask, {
      method: 'getMultipleNewAddressProofsV2',
      params: [{ address: toBase58(address), tree: toBase58(tree) }],
      check: (value) => checkNewAddressProof(asList(value)[0], address, type, this.hasher),
      isDue: () => Promise.resolve(true),
    });
  }

  private async run(side: Side, ask: AskIndex, call: ProofCall): Promise<Outcome> {
    const { pauses, signal } = this.asking;
    let last = { reason: '', isRefusal: false };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (attempt > 1) await sleep(pauseAfter(attempt - 1, pauses), signal);
      const seen = await this.attempt(side, ask, call);
      if ('result' in seen) return seen;
      last = seen;
    }
    if (!last.isRefusal || !(await call.isDue())) return { result: 'not-checked', reason: last.reason };
    return contradicted(side, null, { at: '', said: last.reason, expected: 'a proof' });
  }

  private async attempt(side: Side, ask: AskIndex, { method, params, check }: ProofCall): Promise<Attempt> {
    const { signal } = this.asking;
    const answer = await ask(method, params, signal);
    if ('failure' in answer) return { reason: answer.failure, isRefusal: REFUSED.test(answer.failure) };
    try {
      const { context, value } = asFields(answer.result);
      const slot = asSlot(asFields(context).slot);
      const checked = check(value);
      if ('fault' in checked) return contradicted(side, slot, checked.fault);
      return checked.root && this.roots
        ? await this.compareRoot(side, checked.root, slot, this.roots)
        : { result: 'equal' };
    } catch (error) {
      signal.throwIfAborted();
      return { reason: messageOf(error), isRefusal: false };
    }
  }

  private async compareRoot(side: Side, proven: ProvenRoot, slot: Slot, roots: NodeRoots): Promise<Attempt> {
    const { comparison, slot: nodeSlot } = await roots.compare(proven, slot, this.asking.signal);
    if (comparison === 'equal') return { result: 'equal' };
    const place = `sequence number ${proven.seq}`;
    if (comparison !== 'different')
      return { reason: `the root of ${place} on the chain: ${comparison}`, isRefusal: false };
    return {
      result: 'differs',
      at: '.value.root',
      answers: [
        { by: side, slot, answer: toBase58(proven.root) },
        { by: 'node', slot: nodeSlot, answer: `another root at ${place}` },
      ],
    };
  }
}
