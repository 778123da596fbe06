import { type BlockLink, blockKey, type BlockRef, isSameBlock, parentOf } from '@fresnel/domain/chain';
import { asSlot, asSlots, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { ForkError } from './block-source';
import { type BranchQuestion, FinalizedBranch, UnprovenBranchError } from './finalized-branch';
import { parseHeader } from './rpc.get-block';
import { RpcAnswerError } from './rpc-answer';
import { type RpcCall, RpcUnavailableError, type SolanaRpc } from './solana-rpc';

const FINALIZED = { commitment: 'finalized' };
const HEADER = {
  ...FINALIZED,
  encoding: 'base64',
  transactionDetails: 'none',
  rewards: false,
  maxSupportedTransactionVersion: 1,
};

/** Failed attempts are repeated so often at the same endpoint. */
const ATTEMPTS = 2;
/** An endpoint that is further behind another one counts as one that does not answer. It is about one minute. */
const MAX_LAG_SLOTS = 150;
/** Slots of one list. Some nodes list no more at once. */
const LIST_SLOTS = 500;
/** Further slots are listed in case the first ones have no block. */
const MAX_LISTS = 100;
/** Links that one branch may have. */
const MAX_LINKS = 1_024;

/** What an endpoint gave. */
interface Reading {
  branch: FinalizedBranch | null;
  /** The newest finalized slot; null if the endpoint did not answer. */
  tip: Slot | null;
  /** Why it gave no branch. */
  failure: UnprovenBranchError | null;
}

/**
 * Reads a part of the finalized chain along parent links, until it was given twice: by two endpoints where two answer, else
 * twice by the one that does.
 *
 * Only blocks that a node has are evidence. An answer that a block is not available, skipped or deleted ends a reading
 * without a result, and so does any error.
 */
export class RpcFinalizedBranch {
  constructor(private readonly rpc: SolanaRpc) {}

  /** See `BlockSource.readFinalized`. */
  async read(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    const branch = await this.readTwice(question, signal);
    const { known } = question;
    if (!branch.forkPoint && known.length > 0) throw tooDeep(known, branch.blocks[branch.blocks.length - 1]);
    return branch;
  }

  private async readTwice(question: BranchQuestion, signal: AbortSignal): Promise<FinalizedBranch> {
    const readings: Reading[] = [];
    const endpoints = this.rpc.endpoints().map((rpc, at) => new EndpointBranch(rpc, at + 1, question));
    for (const endpoint of endpoints) {
      const reading = await endpoint.read(signal);
      const { branch } = reading;
      if (branch && readings.some((other) => other.branch?.isSame(branch))) return branch;
      readings.push(reading);
    }
    const given = readings.flatMap(({ branch }, at) => (branch ? [{ branch, at }] : []));
    if (given.length > 1) throw new UnprovenBranchError('endpoints give different branches', question.upTo, null);
    const only = given.at(0);
    if (!only || readings.some((other) => isAwaited(other, readings[only.at]))) throw failureOf(readings);
    return endpoints[only.at].repeat(only.branch, signal);
  }
}

/** Whether an endpoint will give its branch soon: it is not far behind the one that has given it. */
function isAwaited({ branch, tip }: Reading, { tip: reached }: Reading): boolean {
  return !branch && tip !== null && reached !== null && tip < reached && reached - tip <= MAX_LAG_SLOTS;
}

function failureOf(readings: readonly Reading[]): Error {
  const [failure] = readings.flatMap((reading) => reading.failure ?? []);
  return failure;
}

/** Reads a branch from one endpoint. */
class EndpointBranch {
  private readonly known: ReadonlySet<string>;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly endpoint: number,
    private readonly question: BranchQuestion,
  ) {
    this.known = new Set(question.known.map(blockKey));
  }

  async read(signal: AbortSignal): Promise<Reading> {
    let tip: Slot | null = null;
    try {
      tip = await this.call({ method: 'getSlot', params: [FINALIZED], parse: asSlot, maxAttempts: 1 }, signal);
      if (tip < this.question.upTo) throw this.unproven('its newest finalized slot is below');
      return { branch: await this.follow(await this.findTop(tip, signal), signal), tip, failure: null };
    } catch (error) {
      if (!(error instanceof UnprovenBranchError)) throw error;
      return { branch: null, tip, failure: error };
    }
  }

  /** @throws UnprovenBranchError if the endpoint does not give the branch again */
  async repeat(branch: FinalizedBranch, signal: AbortSignal): Promise<FinalizedBranch> {
    const { branch: again, failure } = await this.read(signal);
    if (failure) throw failure;
    if (!again?.isSame(branch)) throw this.unproven('it gives another branch at each reading');
    return branch;
  }

  /** The lowest listed slot at or above the asked one. A list may lack blocks: the links lead to them. */
  private async findTop(tip: Slot, signal: AbortSignal): Promise<Slot> {
    let from = this.question.upTo;
    for (let lists = 0; from <= tip && lists < MAX_LISTS; lists++) {
      const end = toSlot(Math.min(tip, from + LIST_SLOTS - 1));
      const slots = await this.call({ method: 'getBlocks', params: [from, end, FINALIZED], parse: asSlots }, signal);
      const listed = slots.filter((slot) => slot >= from && slot <= end);
      if (listed.length > 0) return toSlot(Math.min(...listed));
      from = toSlot(end + 1);
    }
    throw this.unproven('it lists no finalized block at or above');
  }

  /** Reads parents, from a block down to a known one, or to one that is older than all of them. */
  private async follow(top: Slot, signal: AbortSignal): Promise<FinalizedBranch> {
    const oldest = this.question.known.at(0)?.slot ?? Infinity;
    const links = [await this.findLink(top, signal)];
    for (let link = links[0]; ; links.unshift(link)) {
      if (this.known.has(blockKey(link))) return this.toBranch(link, links.slice(1));
      const parent = parentOf(link);
      if (parent.slot >= link.slot) throw this.unproven(`its block ${link.slot} names a parent that is not below it`);
      if (this.known.has(blockKey(parent))) return this.toBranch(parent, links);
      if (links.length >= MAX_LINKS) throw this.unproven(`more than ${MAX_LINKS} blocks follow the last known one`);
      link = await this.findLink(parent.slot, signal);
      if (!isSameBlock(link, parent)) throw this.unproven(`it has another block ${parent.slot} than the link names`);
      if (link.slot <= oldest) return this.toBranch(null, links);
    }
  }

  /** Blocks above the first one at or above the asked slot depend on what a list contained. */
  private toBranch(forkPoint: BlockRef | null, links: readonly BlockLink[]): FinalizedBranch {
    const first = links.findIndex(({ slot }) => slot >= this.question.upTo);
    return new FinalizedBranch(forkPoint, first < 0 ? links : links.slice(0, first + 1));
  }

  private async findLink(slot: Slot, signal: AbortSignal): Promise<BlockLink> {
    const parse = (result: unknown) => (result === null ? null : parseHeader(slot, result));
    const link = await this.call({ method: 'getBlock', params: [slot, HEADER], parse }, signal);
    if (!link) throw this.unproven(`it does not return block ${slot}`);
    return link;
  }

  private async call<Result>(call: RpcCall<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await this.rpc.call({ maxAttempts: ATTEMPTS, finalCodes: 'all', ...call }, signal);
    } catch (error) {
      if (!(error instanceof RpcAnswerError) && !(error instanceof RpcUnavailableError)) throw error;
      throw this.unproven(`it does not answer: ${error.message}`);
    }
  }

  private unproven(reason: string): UnprovenBranchError {
    return new UnprovenBranchError(reason, this.question.upTo, this.endpoint);
  }
}

function tooDeep(known: readonly BlockRef[], { slot, blockhash }: BlockLink): ForkError {
  const [oldest, newest] = [known[0], known[known.length - 1]].map((block) => block.slot);
  return new ForkError(
    `finalized block ${slot} (${toBase58(blockhash)}) descends from none of the ${known.length} newest published blocks, ${oldest} to ${newest}: a fork orphaned more blocks than can be reverted, or the node serves another chain. Check SOLANA_RPC_URL; if it is correct, rebuild the index with an empty database, empty topics and an empty Redis`,
  );
}
