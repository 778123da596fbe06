import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, type HistorySource } from '@fresnel/adapters/chain';
import { type SlotRange } from '@fresnel/adapters/chain/history';
import { type HistoryDeadLetter, type HistoryStore } from '@fresnel/adapters/store-write';
import { type TreeRepublication, type TreeRepublications } from '@fresnel/adapters/tree-store';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { type HistoryFinding } from '@fresnel/domain/chain';
import { type TransactionParser } from '@fresnel/domain/events';
import { keyOf, type Pubkey, type Signature, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type SlotReader } from '../read/slot.reader';
import { type TreeOperationsRepublisher } from '../repair/tree-operations.republisher';
import { lossOf } from './lost-transactions';

const POLL_MS = 250;

/** What filling in history requires. */
export interface HealerParts {
  /** Asked for what the first source lacks. */
  others: readonly HistorySource[];
  /** Reads slots again from all sources. */
  source: Pick<BlockSource, 'blocksFrom' | 'findBlock'>;
  parser: TransactionParser;
  reader: Pick<SlotReader, 'read'>;
  bus: Pick<Bus, 'publish' | 'waitUntilApplied'>;
  history: Pick<HistoryStore, 'findUnknown' | 'listDeadLetters'>;
  republications: Pick<TreeRepublications, 'request' | 'list'>;
  /** Serves the requests of `republications`. */
  republisher: Pick<TreeOperationsRepublisher, 'hasFailed'>;
  logger: Logger;
}

/**
 * Asks other sources for what history lacks of trees: just the transactions that name a tree or its queue, from the slot on where the
 * first one is missing. There may be others later on, and the operations of a tree are published again up to the end. Slots with
 * transactions that are not stored, or lost in part, are published again, from all sources together, and so are the operations of the
 * trees. These are requested first: once the slots are stored, nothing would request them after a crash.
 */
export class HistoryHealer {
  constructor(private readonly parts: HealerParts) {}

  /**
   * @param infos the trees as the chain has them, by `keyOf`; without those that cannot be read
   * @param slots the first and the last slot of the history
   * @returns whether something is filled in now, also what was found before a crash or an error: then it is worth to compare again
   */
  async heal(
    findings: readonly HistoryFinding[],
    infos: ReadonlyMap<string, TreeInfo>,
    slots: readonly [Slot, Slot],
    signal: AbortSignal,
  ): Promise<boolean> {
    const requests = new OperationRequests(findings, this.parts.republications);
    let found = await this.healLosses(slots, requests, signal);
    const [, to] = slots;
    for (const { tree, from } of firstSlots(findings)) {
      const queue = infos.get(keyOf(tree))?.queue;
      const about = queue && !queue.equals(tree) ? [tree, queue] : [tree];
      for (const other of this.parts.others) found += await this.healFrom(other, { from, to }, about, requests, signal);
    }
    const wasRequested = await this.waitUntilPublished(requests, signal);
    return found > 0 || wasRequested;
  }

  /** Reads the slots of dead letters again. @returns how many of them are whole now */
  private async healLosses(
    slots: readonly [Slot, Slot],
    requests: OperationRequests,
    signal: AbortSignal,
  ): Promise<number> {
    const { source, reader, logger } = this.parts;
    const lost = new Map<Slot, number>();
    for (const { slot } of await this.listLosses(slots)) lost.set(slot, (lost.get(slot) ?? 0) + 1);
    if (lost.size === 0) return 0;
    let found = 0;
    const gained: SlotEvents[] = [];
    for (const [slot, count] of lost) {
      const block = await source.findBlock(slot, signal);
      const events = block && (await reader.read(block, signal));
      const whole = events ? count - events.deadLetters.filter((letter) => lossOf(letter) !== null).length : 0;
      if (!events || whole <= 0) continue;
      found += whole;
      gained.push(events);
    }
    if (found > 0) await this.publish(gained, requests, signal);
    logger.info({ slots: lost.size, found }, 'all sources were asked for transactions that one has lost in part');
    return found;
  }

  private async listLosses(slots: readonly [Slot, Slot]): Promise<HistoryDeadLetter[]> {
    return (await this.parts.history.listDeadLetters(slots)).filter((letter) => lossOf(letter) !== null);
  }

  private async healFrom(
    other: HistorySource,
    range: SlotRange,
    about: readonly Pubkey[],
    requests: OperationRequests,
    signal: AbortSignal,
  ): Promise<number> {
    const values = { tree: toBase58(about[0]), ...range, source: other.name };
    let found = 0;
    for await (const { slots } of other.read(range, about, signal)) {
      const lacking: Slot[] = [];
      for (const { slot, transactions } of slots) {
        const signatures = transactions.flatMap(({ json }) => this.signatureWithEvents(json));
        const unknown = await this.parts.history.findUnknown(signatures);
        if (unknown.length > 0) lacking.push(slot);
        found += unknown.length;
      }
      if (lacking.length > 0) await this.publishSlots(lacking, requests, signal);
    }
    this.parts.logger.info({ ...values, found }, 'another source was asked for what history lacks of a tree');
    return found;
  }

  /** The signature of a transaction that has events, and so is stored; none of others. */
  private signatureWithEvents(json: string): Signature[] {
    const parsed = this.parts.parser.parse(json);
    return parsed?.signature && parsed.events.length > 0 ? [parsed.signature] : [];
  }

  /** Publishes slots again, with what all sources have. @param slots ascending; at least one */
  private async publishSlots(slots: readonly Slot[], requests: OperationRequests, signal: AbortSignal): Promise<void> {
    const { source, reader, logger } = this.parts;
    const wanted = new Set<Slot>(slots);
    const last = slots[slots.length - 1];
    const read: SlotEvents[] = [];
    for await (const block of source.blocksFrom(slots[0], signal)) {
      if (wanted.has(block.slot)) read.push(await reader.read(block, signal));
      if (block.slot >= last) break;
    }
    await this.publish(read, requests, signal);
    logger.info(
      { from: slots[0], to: last, slots: read.length },
      'slots published again: another source has more of them',
    );
  }

  private async publish(slots: readonly SlotEvents[], requests: OperationRequests, signal: AbortSignal): Promise<void> {
    const { bus } = this.parts;
    await requests.store();
    const messages = slots.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: true }));
    await bus.publish(SLOT_EVENTS, messages, signal);
    await bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
  }

  /**
   * Waits until the operations of the trees are published again and applied, or cannot be published now.
   *
   * @returns whether there was a request
   */
  private async waitUntilPublished(requests: OperationRequests, signal: AbortSignal): Promise<boolean> {
    const { republications, republisher, bus } = this.parts;
    const isOpen = (request: TreeRepublication) => requests.isOf(request.tree) && !republisher.hasFailed(request);
    let wasRequested = false;
    while ((await republications.list()).some(isOpen)) {
      wasRequested = true;
      await sleep(POLL_MS, signal);
    }
    await bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    return wasRequested;
  }
}

/** Requests to publish the operations of trees again, from the first missing one of each. They are stored once, if anything is found. */
class OperationRequests {
  private readonly trees: { tree: Pubkey; from: Slot }[];
  private areStored = false;

  constructor(
    findings: readonly HistoryFinding[],
    private readonly republications: Pick<TreeRepublications, 'request'>,
  ) {
    // A missing spend is no operation of its tree.
    this.trees = firstSlots(findings.filter(({ reason }) => reason !== 'spend-missing'));
  }

  async store(): Promise<void> {
    if (this.areStored) return;
    for (const { tree, from } of this.trees) await this.republications.request([tree], from);
    this.areStored = true;
  }

  isOf(tree: Pubkey): boolean {
    return this.trees.some((each) => each.tree.equals(tree));
  }
}

/** The first slot of each tree where something is missing. */
function firstSlots(findings: readonly HistoryFinding[]): { tree: Pubkey; from: Slot }[] {
  const first = new Map<string, { tree: Pubkey; from: Slot }>();
  for (const { tree, slots } of findings) {
    const known = first.get(keyOf(tree));
    if (!known || slots[0] < known.from) first.set(keyOf(tree), { tree, from: slots[0] });
  }
  return [...first.values()];
}
