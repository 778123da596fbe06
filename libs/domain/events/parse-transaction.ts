import { FresnelError, messageOf, type Signature, toBase58 } from '@fresnel/domain/primitives';
import { type RawTransaction } from './block';
import { type CompressionEvent } from './events';
import { findTreeEvent } from './find-tree-event';
import { groupInstructions, type InstructionGroup } from './instruction-groups';
import { type ProgramSet } from './program-set';
import { decodeTransaction } from './transaction.codec';
import { parseTransactionMeta } from './transaction-meta';
import { decodePublicTransactionEvent } from './v1/public-transaction-event.codec';
import { findV1Event } from './v1/find-v1-transition';
import { buildTransition } from './v2/build-transition';
import { findTransitionPatterns } from './v2/find-patterns';

/** The compression events of a transaction. */
export interface ParsedTransaction {
  /** Null if the signature could not be parsed. */
  signature: Signature | null;
  events: CompressionEvent[];
  /** Reasons why parts could not be parsed. A transaction with problems becomes a dead letter. */
  problems: string[];
}

/** Parses transactions for one set of programs. */
export class TransactionParser {
  /** The key in base58, as in the lists of loaded addresses. */
  private readonly compressionText: string;

  constructor(private readonly programs: ProgramSet) {
    this.compressionText = toBase58(programs.accountCompression);
  }

  /**
   * Parses the events of one transaction. Never throws, for any content. A transaction without meta is reported as a
   * problem, because its inner instructions are unknown.
   *
   * @returns null for a transaction that failed, or that has neither events nor problems
   */
  parse(raw: RawTransaction): ParsedTransaction | null {
    if (hasFailed(raw.meta)) return null;
    const wire = wireOf(raw);
    if (!wire) return { signature: null, events: [], problems: ['transaction: not in base64'] };
    if (typeof raw.meta === 'object' && raw.meta !== null && !this.isMentioned(wire, raw.meta)) return null;
    const parsed: ParsedTransaction = { signature: null, events: [], problems: [] };
    attempt(parsed, 'transaction', () => {
      const transaction = decodeTransaction(wire);
      parsed.signature = transaction.signature;
      for (const group of groupInstructions(transaction, parseTransactionMeta(raw.meta))) {
        findTransitions(group, this.programs, parsed);
        findTreeEvents(group, this.programs, parsed);
      }
    });
    return parsed.events.length > 0 || parsed.problems.length > 0 ? parsed : null;
  }

  /** A cheap filter for most transactions of a block: whether the program is among the static or loaded keys. */
  private isMentioned(wire: Buffer, meta: unknown): boolean {
    return wire.includes(this.programs.accountCompression) || loadedTexts(meta).includes(this.compressionText);
  }
}

/** Finds V2 transitions, or else V1 transitions: a group never contains both. */
function findTransitions(group: InstructionGroup, programs: ProgramSet, parsed: ParsedTransaction): void {
  const patterns = findTransitionPatterns(group, programs);
  for (const pattern of patterns) {
    attempt(parsed, 'insert into queues', () => {
      const { event, problem } = buildTransition(group, pattern);
      parsed.events.push(event);
      if (problem) parsed.problems.push(problem);
    });
  }
  if (patterns.length > 0) return;
  for (let start = 0; start + 1 < group.length; start++) {
    const noop = findV1Event(group, start, programs);
    if (noop === null) continue;
    attempt(parsed, 'public transaction event', () => {
      parsed.events.push(decodePublicTransactionEvent(group[noop].data));
    });
  }
}

function findTreeEvents(group: InstructionGroup, programs: ProgramSet, parsed: ParsedTransaction): void {
  for (let start = 0; start + 1 < group.length; start++) {
    attempt(parsed, 'tree event', () => {
      const event = findTreeEvent(group, start, programs);
      if (event) parsed.events.push(event);
    });
  }
}

/** Collects the error of one part, so that the other parts are still parsed. */
function attempt(parsed: ParsedTransaction, what: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    parsed.problems.push(`${what}: ${messageOf(error)}`);
  }
}

function wireOf({ transaction }: RawTransaction): Buffer | null {
  const text: unknown = Array.isArray(transaction) ? transaction[0] : undefined;
  return typeof text === 'string' ? Buffer.from(text, 'base64') : null;
}

function hasFailed(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && 'err' in meta && meta.err !== null;
}

/** The keys from lookup tables in the meta, unchecked. */
function loadedTexts(meta: unknown): unknown[] {
  const loaded = memberOf(meta, 'loadedAddresses');
  const lists = [memberOf(loaded, 'writable'), memberOf(loaded, 'readonly')];
  return lists.filter(Array.isArray).flat();
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
