import { type BranchTransaction } from '@fresnel/adapters/store-read';
import { encodePushCursor, PushedSignature, PushedTransaction } from '@fresnel/contracts/rpc';
import { isSparse } from '@fresnel/domain/chain';
import { type Hash, toBase58 } from '@fresnel/domain/primitives';
import { presentCompressionInfoV2 } from '../present/compression-info.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type Position, type SlotRef, type Step } from './read-step';

const toTransactionJson = compileSerializer(PushedTransaction);
const toSignatureJson = compileSerializer(PushedSignature);

export const PUSH_KINDS = ['transaction', 'amended', 'slot', 'rollback'] as const;
export type PushKind = (typeof PUSH_KINDS)[number];

/** A notification, encoded once for all subscriptions with the same id: ids begin with 1 on each connection. */
export class PushMessage {
  private readonly frames = new Map<number, Buffer>();

  /** @param result as JSON */
  constructor(
    readonly kind: PushKind,
    private readonly result: string,
  ) {}

  frameOf(subscription: number): Buffer {
    let frame = this.frames.get(subscription);
    if (!frame) {
      const params = `{"subscription":${subscription},"result":${this.result}}`;
      frame = Buffer.from(`{"jsonrpc":"2.0","method":"compressionNotification","params":${params}}`);
      this.frames.set(subscription, frame);
    }
    return frame;
  }
}

/** A slot message with the cursor in it. */
interface SlotMessage {
  message: PushMessage;
  cursor: string;
  slot: number;
}

/** The messages of a step, each made for the first subscription that receives it. */
export class StepMessages {
  readonly rollback: PushMessage | null;
  private readonly full = new Map<BranchTransaction, PushMessage>();
  private readonly short = new Map<BranchTransaction, PushMessage>();
  private readonly slots = new Map<number, SlotMessage>();

  constructor(
    readonly step: Step,
    private readonly indexId: Buffer,
  ) {
    const { rollback } = step;
    this.rollback = rollback && new PushMessage('rollback', `{"type":"rollback",${slotMembers(rollback)}}`);
  }

  transaction(transaction: BranchTransaction, hasAccounts: boolean): PushMessage {
    const messages = hasAccounts ? this.full : this.short;
    let message = messages.get(transaction);
    if (!message) messages.set(transaction, (message = this.write(transaction, hasAccounts)));
    return message;
  }

  /** That all up to a slot was sent. */
  slot(ref: SlotRef): SlotMessage {
    let message = this.slots.get(ref.slot);
    if (!message) this.slots.set(ref.slot, (message = slotMessage(ref, this.step.position, this.indexId)));
    return message;
  }

  private write(transaction: BranchTransaction, hasAccounts: boolean): PushMessage {
    const { slot, index, blockTime } = transaction;
    const kind = this.step.isAmendment ? 'amended' : 'transaction';
    const place = { slot, index, signature: toBase58(transaction.signature), blockTime };
    const json = hasAccounts
      ? toTransactionJson({ ...place, ...presentCompressionInfoV2(transaction) })
      : toSignatureJson(place);
    return new PushMessage(kind, `{"type":"${kind}",${json.slice(1)}`);
  }
}

function slotMessage(ref: SlotRef, { revision }: Position, indexId: Buffer): SlotMessage {
  const blockhash = knownHash(ref.blockhash);
  const cursor = encodePushCursor({ slot: ref.slot, blockhash, revision, indexId });
  const message = new PushMessage('slot', `{"type":"slot",${slotMembers(ref)},"cursor":"${cursor}"}`);
  return { message, cursor, slot: ref.slot };
}

function slotMembers({ slot, blockhash }: SlotRef): string {
  const hash = knownHash(blockhash);
  return `"slot":${slot},"blockhash":${hash ? `"${toBase58(hash)}"` : 'null'}`;
}

/** A sparse block has a placeholder instead of a hash. */
function knownHash(blockhash: Hash | null): Hash | null {
  return blockhash && isSparse({ blockhash }) ? null : blockhash;
}
