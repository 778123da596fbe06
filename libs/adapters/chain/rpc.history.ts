import { asSlot, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { MissingHistoryError } from './block-source';
import { LinkedAbort } from './linked-abort';
import { RpcAnswerError } from './rpc-answer';
import { RpcUnavailableError, type SolanaRpc } from './solana-rpc';

/** How long an endpoint may fail before another one answers for it. */
const PATIENCE_MS = 10_000;

/** How far back the blocks of the endpoints reach. Most nodes keep the blocks of a few days; one with more is enough. */
export class RpcHistory {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly logger: Logger,
  ) {}

  /** The slot of the oldest block of an endpoint, for an index without another start. 0 if one does not report it. */
  async findOldestSlot(signal: AbortSignal): Promise<Slot> {
    const found = await Promise.all(
      this.rpc.endpoints().map((endpoint) => findFirstAvailable(endpoint, signal, PATIENCE_MS).catch(orNull)),
    );
    signal.throwIfAborted();
    const known = found.filter((slot) => slot !== null);
    const first = known.length > 0 ? oldestOf(known) : await findFirstAvailable(this.rpc, signal);
    if (first > 0)
      this.logger.warn(
        { slot: first },
        'the node has no older blocks: the index starts at this slot and lacks older state',
      );
    return first;
  }

  /** Waits until one endpoint has the slot. @throws MissingHistoryError once all have answered, and none has it */
  async requireSlot(slot: Slot, signal: AbortSignal): Promise<void> {
    const end = new LinkedAbort(signal);
    try {
      const asked = this.rpc.endpoints().map((endpoint) => findFirstAvailable(endpoint, end.signal));
      const having = asked.map(async (answer) => {
        if ((await answer) > slot) throw new Error('it has only newer blocks');
      });
      if (
        await Promise.any(having).then(
          () => true,
          () => false,
        )
      )
        return;
      throw missing(slot, oldestOf(await Promise.all(asked)));
    } finally {
      end.abort();
    }
  }
}

function missing(slot: Slot, first: Slot): MissingHistoryError {
  return new MissingHistoryError(
    `the first available block is ${first}, but block ${slot} is needed: use a node with more history, or start a new index with an empty data folder: with HISTORY_URL, which has the past, or with INGEST_START_SLOT=${first} (proofs of trees created before that slot are then refused)`,
  );
}

function oldestOf(slots: readonly Slot[]): Slot {
  return slots.reduce((one, other) => (other < one ? other : one));
}

/** 0 if the node does not support the method. @param retryForMs default: until the signal aborts */
async function findFirstAvailable(rpc: SolanaRpc, signal: AbortSignal, retryForMs?: number): Promise<Slot> {
  try {
    return await rpc.call({ method: 'getFirstAvailableBlock', params: [], parse: asSlot, retryForMs }, signal);
  } catch (error) {
    if (error instanceof RpcAnswerError) return toSlot(0);
    throw error;
  }
}

function orNull(error: unknown): null {
  if (error instanceof RpcUnavailableError) return null;
  throw error;
}
