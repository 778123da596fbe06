import {
  GtfaSource,
  type GtfaSourceOptions,
  type HistoryClientOptions,
  type HistoryHole,
  type HistoryPage,
  type HistorySource,
  SqdSource,
} from '@fresnel/adapters/chain/history';
import {
  type CompressionEvent,
  JsonCursor,
  LIVE_PROGRAMS,
  parseBlock,
  TransactionParser,
} from '@fresnel/domain/events';
import { type Pubkey, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type FakeBlock } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';

const DEFAULTS: Omit<HistoryClientOptions, 'url'> = { timeoutMs: 10_000, backoff: { firstMs: 1, longestMs: 4 } };

/** A source with short pauses, and its log lines. */
export function createGtfaSource(
  url: string,
  options: Partial<GtfaSourceOptions> = {},
): { source: GtfaSource; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  return { source: new GtfaSource({ ...DEFAULTS, ...options, url }, logger), lines };
}

/** See `createGtfaSource`. @param url of a data set */
export function createSqdSource(url: string, timeoutMs = DEFAULTS.timeoutMs): { source: SqdSource; lines: LogLine[] } {
  const { logger, lines } = captureLog();
  const options = { ...DEFAULTS, url, timeoutMs, program: LIVE_PROGRAMS.accountCompression };
  return { source: new SqdSource(options, logger), lines };
}

/** A transaction with its events. */
export interface ReadTransaction {
  slot: Slot;
  index: number;
  signature: string | null;
  events: CompressionEvent[];
  problems: string[];
}

const parser = new TransactionParser(LIVE_PROGRAMS);

/** The transactions with events of all blocks. */
export function eventsOfBlocks(blocks: readonly FakeBlock[]): ReadTransaction[] {
  return blocks.flatMap(({ slot, json }) =>
    parseBlock(new JsonCursor(json), toSlot(slot)).transactions.flatMap((each) => toRead(toSlot(slot), each)),
  );
}

/** The transactions with events of pages. */
export function eventsOfPages(pages: readonly HistoryPage[]): ReadTransaction[] {
  return pages.flatMap(({ slots }) =>
    slots.flatMap(({ slot, transactions }) => transactions.flatMap((each) => toRead(slot, each))),
  );
}

function toRead(slot: Slot, { index, json }: { index: number; json: string }): ReadTransaction[] {
  const parsed = parser.parse(json);
  if (!parsed) return [];
  const { signature, events, problems } = parsed;
  return [{ slot, index, signature: signature && toBase58(signature), events, problems }];
}

/** Reads a range to its end. @param about default: the account compression program */
export async function readHistory(
  source: HistorySource,
  [from, to]: readonly [number, number],
  about: readonly Pubkey[] = [LIVE_PROGRAMS.accountCompression],
): Promise<HistoryPage[]> {
  const pages: HistoryPage[] = [];
  const range = { from: toSlot(from), to: toSlot(to) };
  for await (const page of source.read(range, about, new AbortController().signal)) pages.push(page);
  return pages;
}

export function holesOf(pages: readonly HistoryPage[]): HistoryHole[] {
  return pages.flatMap(({ holes }) => holes);
}

/** The signatures of all transactions, in their order. */
export function signaturesOf(pages: readonly HistoryPage[]): (string | null)[] {
  return pages.flatMap(({ slots }) =>
    slots.flatMap(({ transactions }) => transactions.map(({ signature }) => signature && toBase58(signature))),
  );
}
