import { type ListedDeadLetter } from '@fresnel/adapters/store-write';
import { toBase58 } from '@fresnel/domain/primitives';
import { toTable } from './table';

/** A dead letter as JSON: byte strings as text. */
export interface DeadLetterJson {
  slot: number;
  index: number;
  signature: string | null;
  reasons: string[];
  storedAt: string;
  retries: number;
  retryAt: string;
}

export function toDeadLetterJson(letter: ListedDeadLetter): DeadLetterJson {
  const { slot, index, signature, reasons, storedAt, retries, retryAt } = letter;
  return {
    slot,
    index,
    signature: signature && toBase58(signature),
    reasons,
    storedAt: storedAt.toISOString(),
    retries,
    retryAt: retryAt.toISOString(),
  };
}

/** Dead letters as a table, one line for each. */
export function describeDeadLetters(letters: readonly ListedDeadLetter[]): string {
  if (letters.length === 0) return 'no dead letters\n';
  const rows = letters.map(toDeadLetterJson).map(({ slot, index, storedAt, retries, retryAt, reasons }) => {
    return [String(slot), String(index), storedAt, String(retries), retryAt, reasons.join('; ')];
  });
  return `${toTable([['slot', 'index', 'stored at', 'retries', 'next retry', 'reasons'], ...rows])}\n`;
}
