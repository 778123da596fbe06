import { toHash, toSlot } from '@fresnel/domain/primitives';
import { ActionMix } from './actions/action-mix';
import { Actors } from './actions/actors';
import { GenerationContext } from './actions/generation-context';
import { assembleBlock, type BlockHeader, childOf, type GeneratedBlock, parentOfFirstBlock } from './block';
import { Chain } from './chain/chain';
import { type TransactionFacts } from './facts';
import { generatedTrees } from './generated-trees';
import { completeOptions, type LedgerBranch, type LedgerOptions } from './ledger-options';
import { Random } from './random';
import { finishTransaction } from './transaction/finish-transaction';

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
    transactions.push(finishTransaction(drawn.name, drawn.draft, parentBlockhash, random));
  }
  return transactions;
}

/** Uniformly distributed. The mean compensates for empty blocks and for transactions without compression. */
function drawTransactionCount({ options, random, mix }: GeneratorState): number {
  if (random.chance(options.emptyShare)) return 0;
  const mean = options.transactionsPerSlot / (1 - options.emptyShare) / (mix.compressionShare || 1);
  return Math.floor(random.fraction() * (2 * mean + 1));
}
