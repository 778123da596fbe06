import { type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { ActionMix } from './actions/action-mix';
import { Cast } from './actions/cast';
import { Stage } from './actions/stage';
import { type BlockFrame, type GeneratedBlock, sealBlock } from './block';
import { callComputeLimit } from './calls/solana-calls';
import { Chain } from './chain/chain';
import { type TransactionFacts } from './facts';
import { generatedTrees } from './generated-trees';
import { completeOptions, type LedgerBranch, type LedgerOptions } from './ledger-options';
import { Random } from './random';
import { sealTransaction } from './transaction/seal-transaction';

const COMPUTE_LIMIT_SHARE = 0.5;
const GENESIS_TIME_SECONDS = 1_700_000_000;
const SLOT_SECONDS = 0.4;

/** Everything that stays while block follows block. */
interface World {
  settings: Required<LedgerOptions>;
  random: Random;
  chain: Chain;
  cast: Cast;
  mix: ActionMix;
}

/** The blocks of a made-up ledger, each made when it is asked for. Skipped slots give no block. */
export function* generateLedger(options: LedgerOptions): Generator<GeneratedBlock> {
  const world = createWorld(completeOptions(options));
  const { settings, random } = world;
  const { firstSlot, branch } = settings;
  let parent = parentOfFirst(firstSlot, random);
  let isOnBranch = false;
  for (let passed = 0; passed < settings.slots; passed++) {
    if (passed > 0 && random.chance(settings.skippedShare)) continue;
    const begins: LedgerBranch | null = !isOnBranch && branch && firstSlot + passed >= branch.fromSlot ? branch : null;
    if (begins) passed++;
    const frame = followerOf(parent, toSlot(firstSlot + passed), random);
    if (begins) frame.blockhash = toHash(new Random(begins.seed).bytes(32));
    yield sealBlock(frame, makeTransactions(world, frame));
    parent = frame;
    if (!begins) continue;
    isOnBranch = true;
    random.reseed(begins.seed);
  }
}

function createWorld(settings: Required<LedgerOptions>): World {
  const random = new Random(settings.seed);
  return {
    settings,
    random,
    chain: new Chain(generatedTrees()),
    cast: new Cast(random),
    mix: new ActionMix(settings.weights),
  };
}

function makeTransactions(world: World, { slot, parentBlockhash }: BlockFrame): TransactionFacts[] {
  const { random, chain, cast, mix } = world;
  const transactions: TransactionFacts[] = [];
  for (let left = drawTransactionCount(world); left > 0; left--) {
    const performed = mix.perform(new Stage(chain, cast, random, slot));
    if (!performed) break;
    const { name, draft } = performed;
    const calls = random.chance(COMPUTE_LIMIT_SHARE) ? [callComputeLimit(1_000_000), ...draft.calls] : draft.calls;
    const sealed = sealTransaction({ ...draft, calls }, parentBlockhash, random);
    transactions.push({ ...sealed, action: name, isFailed: draft.isFailed, events: draft.events });
  }
  return transactions;
}

/** Evenly spread around the mean; empty blocks and what does not involve compression are made up for. */
function drawTransactionCount({ settings, random, mix }: World): number {
  if (random.chance(settings.emptyShare)) return 0;
  const mean = settings.transactionsPerSlot / (1 - settings.emptyShare) / (mix.compressionShare || 1);
  return Math.floor(random.fraction() * (2 * mean + 1));
}

function parentOfFirst(firstSlot: number, random: Random): BlockFrame {
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

function followerOf(parent: BlockFrame, slot: Slot, random: Random): BlockFrame {
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
