import { create } from '@bufbuild/protobuf';
import { type Commitment } from '@fresnel/domain/chain';
import { type ServiceError, status } from '@grpc/grpc-js';
import { MalformedBlockError } from '@fresnel/domain/events';
import { messageOf, type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type Backoff, type Logger, pauseAfter } from '@fresnel/platform';
import { after, wait } from '@fresnel/platform/time';
import {
  CommitmentLevel,
  type SubscribeRequest,
  SubscribeRequestSchema,
  type Update,
} from '../generated/geyser-subset_pb';
import { type BlockFrame, parseBlockFrame } from './block-frame.codec';
import { findReplayStart, type GeyserEndpoint, openSubscription, type SubscribeCall } from './geyser-client';

export interface BlockStreamOptions extends GeyserEndpoint {
  /** The stream is reopened after this time without a block, even if it sends pings. */
  silenceMs: number;
  backoff: Backoff;
  /**
   * Key that transactions must name to be needed; the stream then includes transactions. Null: all are needed, and the
   * stream omits them.
   */
  watched: Pubkey | null;
}

/** Receives the blocks of a stream. */
export interface BlockListener {
  /** The slot to resume from; null: start with the next block of the stream. */
  resumeSlot: () => Slot | null;
  findCommitment: () => Promise<Commitment>;
  /** The newest slot of the chain. */
  findTip: (signal: AbortSignal) => Promise<Slot>;
  /** A subscription follows that sends all blocks from `resumeSlot` on. */
  onReplay: () => void;
  onBlock: (frame: BlockFrame) => void;
  /** Whether the next block must wait for `waitForRoom`. */
  isFull: () => boolean;
  waitForRoom: (signal: AbortSignal) => Promise<void>;
  /** The stream ended. A new subscription follows. */
  onBreak: () => void;
}

interface StreamStart {
  fromSlot: Slot | null;
  /** Whether the server has the blocks since then. */
  isReplayed: boolean;
  /** The slot at which a long replay ends; null: it is not long. */
  longUntil: Slot | null;
}

const LIVE: StreamStart = { fromSlot: null, isReplayed: false, longUntil: null };

/** How a stream ended. */
interface StreamEnd {
  reason: string;
  code: status | null;
  blocks: number;
  /** Whether a long replay has reached its end. */
  isReplayed: boolean;
}

const COMMITMENT_LEVELS = {
  confirmed: CommitmentLevel.CONFIRMED,
  finalized: CommitmentLevel.FINALIZED,
} satisfies Record<Commitment, CommitmentLevel>;
/** Configuration errors that an operator must fix. */
const AUTH_ERRORS: readonly (status | null)[] = [status.UNAUTHENTICATED, status.PERMISSION_DENIED];

/** Errors that do not mean that the server cannot resume from a slot. */
const NOT_ABOUT_RESUMING: readonly (status | null)[] = [...AUTH_ERRORS, status.UNAVAILABLE];

/** About ten minutes. A longer replay brings only the transactions that are watched: whole blocks of hours are many gigabytes. */
const LONG_REPLAY_SLOTS = 1_500;

/** A subscription to confirmed blocks that reconnects. */
export class BlockStream {
  constructor(
    private readonly options: BlockStreamOptions,
    private readonly logger: Logger,
  ) {}

  /**
   * Subscribes, and resubscribes whenever a stream ends, until the signal aborts. Blocks may be lost or repeated in
   * between.
   */
  async run(listener: BlockListener, signal: AbortSignal): Promise<void> {
    let attempt = 0;
    let canResume = true;
    /** Whether the last subscription sent blocks. A server that sends none is not waited for. */
    let isSending = true;
    while (!signal.aborted) {
      const start: StreamStart = canResume ? await this.findStart(listener, signal) : LIVE;
      if (start.isReplayed && isSending) listener.onReplay();
      const { fromSlot } = start;
      const request = this.createRequest(start, await listener.findCommitment());
      const ending = await this.listen(listener, request, start.longUntil, signal);
      if (!ending) return;
      listener.onBreak();
      if (ending.isReplayed) {
        this.logger.info({ slot: start.longUntil, blocks: ending.blocks }, 'the stream has replayed a long outage');
        continue;
      }
      isSending = ending.blocks > 0;
      attempt = isSending ? 1 : attempt + 1;
      // Many servers cannot resume, or not from that slot, and report it with different errors. So the next attempt
      // does not try to resume.
      canResume = fromSlot === null || isSending || NOT_ABOUT_RESUMING.includes(ending.code);
      this.report(ending, attempt, canResume);
      await wait(pauseAfter(attempt, this.options.backoff), signal);
    }
  }

  /** Where to start. A server that does not say from where it replays is asked to resume, and may refuse. */
  private async findStart({ resumeSlot, findTip }: BlockListener, signal: AbortSignal): Promise<StreamStart> {
    if (resumeSlot() === null) return LIVE;
    const first = await findReplayStart(this.options, signal);
    const tip = first === null || this.options.watched === null ? null : await findTip(signal);
    const fromSlot = resumeSlot();
    if (first === null || fromSlot === null) return { fromSlot, isReplayed: false, longUntil: null };
    const isLong = tip !== null && tip - fromSlot >= LONG_REPLAY_SLOTS;
    if (first <= fromSlot) return { fromSlot, isReplayed: true, longUntil: isLong ? tip : null };
    this.logger.info({ fromSlot, first }, 'the stream does not reach back to the last block, catching up over RPC');
    return LIVE;
  }

  /** @param longUntil it ends with a block from this slot on; null: it has no end @returns null when the signal aborts */
  private listen(
    listener: BlockListener,
    request: SubscribeRequest,
    longUntil: Slot | null,
    signal: AbortSignal,
  ): Promise<StreamEnd | null> {
    return new Promise((resolve) => {
      const { call, close } = openSubscription(this.options);
      let blocks = 0;
      let isOver = false;
      const end = (reason: string, code: status | null = null, isReplayed = false) => {
        if (isOver) return;
        isOver = true;
        silence.cancel();
        signal.removeEventListener('abort', onAbort);
        close();
        resolve(signal.aborted ? null : { reason, code, blocks, isReplayed });
      };
      const onAbort = () => {
        end('aborted');
      };
      const awaitBlock = () =>
        after(this.options.silenceMs, () => {
          end(`no block within ${this.options.silenceMs} ms`);
        });
      let silence = awaitBlock();
      // gRPC then stops the server, so a replay of days does not fill the memory.
      const waitForRoom = async () => {
        call.pause();
        silence.cancel();
        await listener.waitForRoom(signal).catch(() => undefined);
        if (isOver) return;
        silence = awaitBlock();
        call.resume();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      call.on('error', ({ code, details }: ServiceError) => {
        end(`${status[code]}: ${details}`, code);
      });
      call.on('end', () => {
        end('the server ended the stream');
      });
      call.on('data', (update: Update) => {
        const frame = isOver ? null : this.read(update, call, longUntil !== null);
        if (!frame) return;
        if (++blocks === 1) this.logger.info({ slot: frame.slot }, 'receiving blocks from the stream');
        silence.cancel();
        silence = awaitBlock();
        listener.onBlock(frame);
        if (longUntil !== null && frame.slot >= longUntil) end('the replay is over', null, true);
        else if (listener.isFull()) void waitForRoom();
      });
      call.write(request);
      if (signal.aborted) onAbort();
    });
  }

  /** @returns null if the update contains no block */
  private read({ updateOneof: update }: Update, call: SubscribeCall, isFiltered: boolean): BlockFrame | null {
    // Load balancers close a stream whose pings are not answered.
    if (update.case === 'ping') call.write(create(SubscribeRequestSchema, { ping: { id: 1 } }));
    if (update.case !== 'block') return null;
    try {
      return parseBlockFrame(update.value, this.options.watched, isFiltered);
    } catch (error) {
      if (!(error instanceof MalformedBlockError)) throw error;
      this.logger.warn({ reason: messageOf(error) }, 'the stream sent an invalid block, fetching it over RPC');
      return null;
    }
  }

  private createRequest({ fromSlot, longUntil }: StreamStart, commitment: Commitment): SubscribeRequest {
    const { watched } = this.options;
    const accountInclude = watched !== null && longUntil !== null ? [toBase58(watched)] : [];
    const filter = { accountInclude, includeTransactions: watched !== null };
    return create(SubscribeRequestSchema, {
      blocks: { fresnel: { ...filter, includeAccounts: false, includeEntries: false } },
      commitment: COMMITMENT_LEVELS[commitment],
      ...(fromSlot === null ? {} : { fromSlot: BigInt(fromSlot) }),
    });
  }

  private report({ reason, code, blocks }: StreamEnd, attempt: number, canResume: boolean): void {
    const values = { reason: this.withoutToken(reason), blocks, attempt };
    if (!canResume)
      this.logger.info(values, 'the server cannot resume the block stream, subscribing without a start slot');
    else if (AUTH_ERRORS.includes(code))
      this.logger.error(values, 'the server of the block stream rejects the credentials, polling RPC instead');
    else this.logger.warn(values, 'the block stream broke, polling RPC until it is back');
  }

  /** Removes the token: some servers repeat it in errors. */
  private withoutToken(text: string): string {
    const { token } = this.options;
    return token === null || token === '' ? text : text.replaceAll(token, '…');
  }
}
