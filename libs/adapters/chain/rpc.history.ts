import { asSlot, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { MissingHistoryError } from './block-source';
import { RpcAnswerError } from './rpc-answer';
import { type SolanaRpc } from './solana-rpc';

/** How far back the blocks of a node reach. Most nodes keep the blocks of a few days. */
export class RpcHistory {
  constructor(
    private readonly rpc: SolanaRpc,
    private readonly logger: Logger,
  ) {}

  /** The slot of the oldest block of the node, for an index without another start. 0 if the node does not report it. */
  async findOldestSlot(signal: AbortSignal): Promise<Slot> {
    const first = await this.findFirstAvailable(signal);
    if (first > 0)
      this.logger.warn(
        { slot: first },
        'the node has no older blocks: the index starts at this slot and lacks older state',
      );
    return first;
  }

  /** @throws MissingHistoryError when the node no longer has the slot */
  async requireSlot(slot: Slot, signal: AbortSignal): Promise<void> {
    const first = await this.findFirstAvailable(signal);
    if (first <= slot) return;
    throw new MissingHistoryError(
      `the node's first available block is ${first}, but block ${slot} is needed: use a node with more history, or start a new index with INGEST_START_SLOT=${first} and an empty data folder (proofs of trees created before that slot are then refused)`,
    );
  }

  /** 0 if the node does not support the method. */
  private async findFirstAvailable(signal: AbortSignal): Promise<Slot> {
    try {
      return await this.rpc.call({ method: 'getFirstAvailableBlock', params: [], parse: asSlot }, signal);
    } catch (error) {
      if (error instanceof RpcAnswerError) return toSlot(0);
      throw error;
    }
  }
}
