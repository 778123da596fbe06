import { type ServiceError, status } from '@grpc/grpc-js';
import { MalformedBlockError } from '@fresnel/domain/events';
import { asFields, messageOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type Backoff, pause } from '../backoff';
import { type BlockFrame, parseBlockFrame } from './block-frame.codec';
import { type GeyserEndpoint, openSubscription, type SubscribeCall } from './geyser-client';

export interface BlockStreamOptions extends GeyserEndpoint {
  /** A stream without a block for so long counts as dead, whatever else it says. */
  silenceMs: number;
  backoff: Backoff;
  /** Only transactions that name this key are wanted, and the stream sends them along; null: all are, and it sends none. */
  watched: Pubkey | null;
}

/** Whoever wants to know of blocks. */
export interface BlockListener {
  /** First slot that is still wanted; null: none in particular. */
  firstWanted: () => Slot | null;
  onBlock: (frame: BlockFrame) => void;
  /** The stream broke off; a next one is on its way. */
  onBreak: () => void;
}

/** How a stream ended. */
interface Ending {
  reason: string;
  code: status | null;
  blocks: number;
}

const CONFIRMED = 1;
/** Somebody has to see to it. */
const REFUSED: readonly (status | null)[] = [status.UNAUTHENTICATED, status.PERMISSION_DENIED];

const SAYS_NOTHING_OF_SLOTS: readonly (status | null)[] = [...REFUSED, status.UNAVAILABLE];

/** Keeps a subscription to confirmed blocks going. */
export class BlockStream {
  constructor(
    private readonly options: BlockStreamOptions,
    private readonly logger: Logger,
  ) {}

  /** Subscribes, and again whenever that ends, until the signal says stop. What was sent meanwhile is lost, or repeated. */
  async run(listener: BlockListener, signal: AbortSignal): Promise<void> {
    let attempt = 0;
    let canResume = true;
    while (!signal.aborted) {
      const fromSlot: Slot | null = canResume ? listener.firstWanted() : null;
      const ending = await this.listen(listener, fromSlot, signal);
      if (!ending) return;
      listener.onBreak();
      attempt = ending.blocks > 0 ? 1 : attempt + 1;
      // Many servers cannot go back, or not so far, and say so in their own ways; the next attempt does not ask for it.
      canResume = fromSlot === null || ending.blocks > 0 || SAYS_NOTHING_OF_SLOTS.includes(ending.code);
      this.report(ending, attempt, canResume);
      await pause(attempt, this.options.backoff, signal);
    }
  }

  /** @returns null when the signal says stop */
  private listen({ onBlock }: BlockListener, fromSlot: Slot | null, signal: AbortSignal): Promise<Ending | null> {
    return new Promise((resolve) => {
      const { call, close } = openSubscription(this.options);
      let blocks = 0;
      let isOver = false;
      const end = (reason: string, code: status | null = null) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(silence);
        signal.removeEventListener('abort', onAbort);
        close();
        resolve(signal.aborted ? null : { reason, code, blocks });
      };
      const onAbort = () => {
        end('told to stop');
      };
      const silence = setTimeout(() => {
        end(`no block within ${this.options.silenceMs} ms`);
      }, this.options.silenceMs);
      signal.addEventListener('abort', onAbort, { once: true });
      call.on('error', ({ code, details }: ServiceError) => {
        end(`${status[code]}: ${details}`, code);
      });
      call.on('end', () => {
        end('the server ended it');
      });
      call.on('data', (update: unknown) => {
        const frame = isOver ? null : this.read(update, call);
        if (!frame) return;
        if (++blocks === 1) this.logger.info({ slot: frame.slot }, 'the block stream delivers');
        silence.refresh();
        onBlock(frame);
      });
      call.write(this.createRequest(fromSlot));
      if (signal.aborted) onAbort();
    });
  }

  /** @returns null for what is no block */
  private read(update: unknown, call: SubscribeCall): BlockFrame | null {
    const { block, ping } = asFields(update);
    // Without an answer, balancers between take the stream for dead.
    if (ping) call.write({ ping: { id: 1 } });
    if (!block) return null;
    try {
      return parseBlockFrame(block, this.options.watched);
    } catch (error) {
      if (!(error instanceof MalformedBlockError)) throw error;
      this.logger.warn({ reason: messageOf(error) }, 'the stream sent a block that cannot be read, it will be fetched');
      return null;
    }
  }

  private createRequest(fromSlot: Slot | null): object {
    const filter = {
      includeTransactions: this.options.watched !== null,
      includeAccounts: false,
      includeEntries: false,
    };
    const resume = fromSlot === null ? {} : { fromSlot };
    return { blocks: { fresnel: filter }, commitment: CONFIRMED, ...resume };
  }

  private report({ reason, code, blocks }: Ending, attempt: number, canResume: boolean): void {
    const values = { reason: this.withoutToken(reason), blocks, attempt };
    if (!canResume) this.logger.info(values, 'the server did not resume the block stream, subscribing without');
    else if (REFUSED.includes(code))
      this.logger.error(values, 'the server of the block stream refuses us, polling instead');
    else this.logger.warn(values, 'the block stream broke off, polling until it is back');
  }

  /** Some servers repeat what they refuse. */
  private withoutToken(text: string): string {
    const { token } = this.options;
    return token === null || token === '' ? text : text.replaceAll(token, '…');
  }
}
