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

/** What one transaction says about compressed state. */
export interface ParsedTransaction {
  /** Null when not even that can be read. */
  signature: Signature | null;
  events: CompressionEvent[];
  /** What could not be read; a transaction with problems is parked for a person to look at. */
  problems: string[];
}

/** Reads transactions for one set of programs. */
export class TransactionParser {
  /** The key as the lists of loaded addresses spell it. */
  private readonly compressionText: string;

  constructor(private readonly programs: ProgramSet) {
    this.compressionText = toBase58(programs.accountCompression);
  }

  /**
   * Reads the events of one transaction. Never throws for anything that a transaction may hold. One without meta may
   * have done anything, so it counts as unreadable.
   *
   * @returns null for a transaction that failed, or that reports nothing about compressed state
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

  /** A cheap test that most transactions of a block fail: is the key in the message or among the loaded ones? */
  private isMentioned(wire: Buffer, meta: unknown): boolean {
    return wire.includes(this.programs.accountCompression) || loadedTexts(meta).includes(this.compressionText);
  }
}

/** V2 and V1 do not mix inside a group: where V2 transitions are found, the V1 form is not looked for. */
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

/** Keeps one unreadable part from taking the readable ones with it. */
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

/** Keys from lookup tables as they stand in the meta, nothing of it checked. */
function loadedTexts(meta: unknown): unknown[] {
  const loaded = memberOf(meta, 'loadedAddresses');
  const lists = [memberOf(loaded, 'writable'), memberOf(loaded, 'readonly')];
  return lists.filter(Array.isArray).flat();
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
