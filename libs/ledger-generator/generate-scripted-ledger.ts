import { toSlot } from '@fresnel/domain/primitives';
import { ACTIONS } from './actions/action-catalog';
import { type ActionName } from './actions/action-name';
import { Actors } from './actions/actors';
import { GenerationContext } from './actions/generation-context';
import { assembleBlock, childOf, type GeneratedBlock, parentOfFirstBlock } from './block';
import { Chain } from './chain/chain';
import { generatedTrees } from './generated-trees';
import { Random } from './random';
import { finishTransaction } from './transaction/finish-transaction';

const LEDGER_SEED = 1;
/** Gives slots with equal seeds different random choices: hashes and signatures must not repeat. */
const SEEDS_PER_SLOT = 2 ** 16;

/** One slot of a scripted ledger. */
export interface ScriptedSlot {
  /** The actions of the slot's transactions, in block order. */
  actions: readonly ActionName[];
  /** Seed of all random choices in the slot, together with the slot number; an integer from 0 to 2^16-1. */
  seed: number;
}

/**
 * Generates a ledger of consecutive slots with exactly the given actions.
 *
 * @throws RangeError when the state of the chain does not allow an action
 */
export function* generateScriptedLedger(firstSlot: number, script: readonly ScriptedSlot[]): Generator<GeneratedBlock> {
  const random = new Random(LEDGER_SEED);
  const chain = new Chain(generatedTrees());
  const actors = new Actors(random);
  let parent = parentOfFirstBlock(firstSlot, random);
  for (const [offset, { actions, seed }] of script.entries()) {
    const slot = toSlot(firstSlot + offset);
    random.reseed(slot * SEEDS_PER_SLOT + seed);
    const header = childOf(parent, slot, random);
    const transactions = actions.map((action) => {
      const draft = ACTIONS[action].act(new GenerationContext(chain, actors, random, slot));
      if (!draft) throw new RangeError(`the chain does not allow ${action} in slot ${slot}`);
      return finishTransaction(action, draft, header.parentBlockhash, random);
    });
    yield assembleBlock(header, transactions);
    parent = header;
  }
}
