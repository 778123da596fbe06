import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, type HistorySource } from '@fresnel/adapters/chain';
import { type SlotRange } from '@fresnel/adapters/chain/history';
import { type HistoryDeadLetter, type HistoryStore } from '@fresnel/adapters/store-write';
import { type TreeRepublications } from '@fresnel/adapters/tree-store';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { type HistoryFinding } from '@fresnel/domain/chain';
import { type Block, type TransactionParser } from '@fresnel/domain/events';
import { keyOf, type Pubkey, type Signature, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type SlotReader } from '../read/slot.reader';
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
  logger: Logger;
}

/**
 * Asks other sources for what history lacks of trees: just the transactions that name a tree or its queue, from the slot on where the
 * first one is missing. There may be others later on, and the operations of a tree are published again up to the end. Slots with transactions that are not stored, or lost in part, are published again, from all sources together, and then the
 * operations of the trees.
 */
export class HistoryHealer {
  constructor(private readonly parts: HealerParts) {}

  /**
   * @param infos the trees as the chain has them, by `keyOf`; without those that cannot be read
   * @param slots the first and the last slot of the history
   * @returns how many transactions were missing or lost in part, and are published now
   */
  async heal(
    findings: readonly HistoryFinding[],
    infos: ReadonlyMap<string, TreeInfo>,
    slots: readonly [Slot, Slot],
    signal: AbortSignal,
  ): Promise<number> {
    let found = await this.healLosses(slots, signal);
    const [, to] = slots;
    for (const { tree, from } of firstSlots(findings)) {
      const queue = infos.get(keyOf(tree))?.queue;
      const about = queue && !queue.equals(tree) ? [tree, queue] : [tree];
      for (const other of this.parts.others) found += await this.healFrom(other, { from, to }, about, signal);
    }
    if (found > 0) await this.publishOperations(findings, signal);
    return found;
  }

  /** Reads the slots of dead letters again. @returns how many of them are whole now */
  private async healLosses(slots: readonly [Slot, Slot], signal: AbortSignal): Promise<number> {
    const { source, logger } = this.parts;
    const before = await this.listLosses(slots);
    if (before.length === 0) return 0;
    const blocks: Block[] = [];
    for (const slot of new Set(before.map((letter) => letter.slot))) {
      const block = await source.findBlock(slot, signal);
      if (block) blocks.push(block);
    }
    await this.publishBlocks(blocks, signal);
    const found = before.length - (await this.listLosses(slots)).length;
    logger.info({ lost: before.length, found }, 'all sources were asked for transactions that one has lost in part');
    return found;
  }

  private async listLosses(slots: readonly [Slot, Slot]): Promise<HistoryDeadLetter[]> {
    return (await this.parts.history.listDeadLetters(slots)).filter((letter) => lossOf(letter) !== null);
  }

  private async healFrom(
    other: HistorySource,
    range: SlotRange,
    about: readonly Pubkey[],
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
      if (lacking.length > 0) await this.publishSlots(lacking, signal);
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
  private async publishSlots(slots: readonly Slot[], signal: AbortSignal): Promise<void> {
    const wanted = new Set<Slot>(slots);
    const last = slots[slots.length - 1];
    const blocks: Block[] = [];
    for await (const block of this.parts.source.blocksFrom(slots[0], signal)) {
      if (wanted.has(block.slot)) blocks.push(block);
      if (block.slot >= last) break;
    }
    await this.publishBlocks(blocks, signal);
    const values = { from: slots[0], to: last, slots: blocks.length };
    this.parts.logger.info(values, 'slots published again: another source has more of them');
  }

  private async publishBlocks(blocks: readonly Block[], signal: AbortSignal): Promise<void> {
    const { reader, bus } = this.parts;
    const messages: SlotEventsMessage[] = [];
    for (const block of blocks) {
      messages.push({ kind: 'slot', events: await reader.read(block, signal), isOfRange: true });
    }
    await bus.publish(SLOT_EVENTS, messages, signal);
    await bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
  }

  /** Has the operations of trees published again, from the first missing one on, and waits until that is applied. */
  private async publishOperations(findings: readonly HistoryFinding[], signal: AbortSignal): Promise<void> {
    const { republications, bus } = this.parts;
    // A missing spend is no operation of its tree.
    const ofOperations = findings.filter(({ reason }) => reason !== 'spend-missing');
    for (const { tree, from } of firstSlots(ofOperations)) await republications.request([tree], from);
    while ((await republications.list()).length > 0) await sleep(POLL_MS, signal);
    await bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
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
