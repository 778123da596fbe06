import { FresnelError, MalformedBytesError, messageOf, type Signature } from '@fresnel/domain/primitives';
import { type CompressionEvent } from './events';
import { readExecutedGroups, readExecutedSignature } from './executed-transaction.codec';
import { findMigratedLeaf } from './find-migrated-leaf';
import { findTreeEvent } from './find-tree-event';
import { findUnknownChange } from './find-unknown-instruction';
import { groupInstructions, type InstructionGroup } from './instruction-groups';
import { missingPartOf } from './missing-part';
import { type ProgramSet } from './program-set';
import { hasFailed, parseRawTransaction, type RawTransaction, wireOf } from './raw-transaction';
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

const WHOLE = 'transaction';

/** Whether a problem concerns the whole transaction: the node has left out or spoilt a part of it. */
export function isUnreadable(problem: string): boolean {
  return problem.startsWith(`${WHOLE}: `);
}

/** Parses transactions for one set of programs. */
export class TransactionParser {
  constructor(private readonly programs: ProgramSet) {}

  /**
   * Parses the events of one transaction. One of which the node has left out a part is reported as a problem, because its
   * events are unknown.
   *
   * @param json an element of `transactions` in a `getBlock` result with base64 encoding, or a text of `writeExecutedTransaction`. A source
   * has left out those that cannot name the account compression program: what is missing in them does not matter.
   * @returns null for a transaction that failed, or that has neither events nor problems
   * @throws MalformedBlockError if the text is not valid JSON, and for no other reason
   */
  parse(json: string): ParsedTransaction | null {
    const raw = parseRawTransaction(json);
    if (hasFailed(raw)) return null;
    const parsed: ParsedTransaction = { signature: null, events: [], problems: [] };
    attempt(parsed, WHOLE, () => {
      for (const group of readGroups(raw, json, parsed)) {
        findTransitions(group, this.programs, parsed);
        findTreeEvents(group, this.programs, parsed);
        findUnknownChanges(group, this.programs, parsed);
      }
    });
    return parsed.events.length > 0 || parsed.problems.length > 0 ? parsed : null;
  }
}

/** Reads the instructions of a transaction in either form, and notes its signature before anything can fail. */
function readGroups(raw: RawTransaction, json: string, parsed: ParsedTransaction): InstructionGroup[] {
  if (raw.executed !== undefined) {
    parsed.signature = readExecutedSignature(raw.executed);
    return readExecutedGroups(raw.executed);
  }
  const wire = wireOf(raw);
  if (!wire) throw new MalformedBytesError('not in base64');
  const transaction = decodeTransaction(wire);
  parsed.signature = transaction.signature;
  const missing = missingPartOf(raw, json);
  if (missing !== null) throw new MalformedBytesError(missing);
  return groupInstructions(transaction, parseTransactionMeta(raw.meta));
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
      if (!event) return;
      parsed.events.push(event);
      const migrated = findMigratedLeaf(group[start]);
      if (migrated) parsed.events.push(migrated);
    });
  }
}

/** What the group changed and this version cannot apply. Its trees then wait for the missing operations. */
function findUnknownChanges(group: InstructionGroup, programs: ProgramSet, parsed: ParsedTransaction): void {
  for (let at = 0; at < group.length; at++) {
    attempt(parsed, 'unknown-instruction', () => {
      const change = findUnknownChange(group, at, programs);
      if (change !== null) parsed.problems.push(change);
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
