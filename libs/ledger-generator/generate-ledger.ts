import { type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { ActionMix } from './actions/action-mix';
import { Actors } from './actions/actors';
import { GenerationContext } from './actions/generation-context';
import { type BlockHeader, type GeneratedBlock, assembleBlock } from './block';
import { computeUnitLimitInstruction } from './instructions/solana-instructions';
import { Chain } from './chain/chain';
import { type TransactionFacts } from './facts';
import { generatedTrees } from './generated-trees';
import { completeOptions, type LedgerBranch, type LedgerOptions } from './ledger-options';
import { Random } from './random';
import { finalizeTransaction } from './transaction/finalize-transaction';

const COMPUTE_LIMIT_SHARE = 0.5;
const GENESIS_TIME_SECONDS = 1_700_000_000;
const SLOT_SECONDS = 0.4;

/** State that is shared by all blocks of a ledger. */
interface GeneratorState {
  options: Required<LedgerOptions>;
  random: Random;
  chain: Chain;
  actors: Actors;
  mix: ActionMix;
}

/** Generates the blocks of a ledger lazily. Skipped slots yield no block. */
export function* generateLedger(ledgerOptions: LedgerOptions): Generator<GeneratedBlock> {
  const state = createState(completeOptions(ledgerOptions));
  const { options, random } = state;
  const { firstSlot, branch } = options;
  let parent = parentOfFirstBlock(firstSlot, random);
  let isOnBranch = false;
  for (let offset = 0; offset < options.slots; offset++) {
    if (offset > 0 && random.chance(options.skippedShare)) continue;
    const newBranch: LedgerBranch | null =
      !isOnBranch && branch && firstSlot + offset >= branch.fromSlot ? branch : null;
    if (newBranch) offset++;
    const header = childOf(parent, toSlot(firstSlot + offset), random);
    if (newBranch) header.blockhash = toHash(new Random(newBranch.seed).bytes(32));
    yield assembleBlock(header, generateTransactions(state, header));
    parent = header;
    if (!newBranch) continue;
    isOnBranch = true;
    random.reseed(newBranch.seed);
  }
}

function createState(options: Required<LedgerOptions>): GeneratorState {
  const random = new Random(options.seed);
  return {
    options,
    random,
    chain: new Chain(generatedTrees()),
    actors: new Actors(random),
    mix: new ActionMix(options.weights),
  };
}

function generateTransactions(state: GeneratorState, { slot, parentBlockhash }: BlockHeader): TransactionFacts[] {
  const { random, chain, actors, mix } = state;
  const transactions: TransactionFacts[] = [];
  for (let remaining = drawTransactionCount(state); remaining > 0; remaining--) {
    const drawn = mix.drawTransaction(new GenerationContext(chain, actors, random, slot));
    if (!drawn) break;
    const { name, draft } = drawn;
    const budget = random.chance(COMPUTE_LIMIT_SHARE) ? [computeUnitLimitInstruction(1_000_000)] : [];
    const instructions = [...budget, ...draft.instructions];
    const finalized = finalizeTransaction({ ...draft, instructions }, parentBlockhash, random);
    transactions.push({ ...finalized, action: name, isFailed: draft.isFailed, events: draft.events });
  }
  return transactions;
}

/** Uniformly distributed. The mean compensates for empty blocks and for transactions without compression. */
function drawTransactionCount({ options, random, mix }: GeneratorState): number {
  if (random.chance(options.emptyShare)) return 0;
  const mean = options.transactionsPerSlot / (1 - options.emptyShare) / (mix.compressionShare || 1);
  return Math.floor(random.fraction() * (2 * mean + 1));
}

function parentOfFirstBlock(firstSlot: number, random: Random): BlockHeader {
  const slot = toSlot(Math.max(0, firstSlot - 1));
  return {
    slot,
    parentSlot: slot,
    blockhash: toHash(random.bytes(32)),
    parentBlockhash: toHash(random.bytes(32)),
    blockTime: timeOf(slot),
    blockHeight: slot,
  };
}

function childOf(parent: BlockHeader, slot: Slot, random: Random): BlockHeader {
  return {
    slot,
    parentSlot: parent.slot,
    blockhash: toHash(random.bytes(32)),
    parentBlockhash: parent.blockhash,
    blockTime: timeOf(slot),
    blockHeight: parent.blockHeight + 1,
  };
}

function timeOf(slot: Slot): number {
  return GENESIS_TIME_SECONDS + Math.floor(slot * SLOT_SECONDS);
}
