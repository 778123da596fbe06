import {
  findMissingPart,
  findSignature,
  isFailedTransaction,
  type JsonCursor,
  parseBlockTime,
} from '@fresnel/domain/events';
import {
  asFields,
  asSlot,
  asText,
  asU32,
  MalformedTextError,
  type Signature,
  type Slot,
  toBase58,
} from '@fresnel/domain/primitives';

/** An element of the list that `getTransactionsForAddress` returns. */
export interface GtfaItem {
  slot: Slot;
  /** Among the transactions of the block. */
  index: number;
  /** Names the transaction among those of its slot. */
  id: string;
  /** Some providers do not know the filter for failed transactions. */
  isFailed: boolean;
}

/** An item of the mode `full`. */
export interface GtfaTransaction extends GtfaItem {
  blockTime: number | null;
  /** As a block has it. */
  json: string;
  signature: Signature | null;
  /** What the provider has lost of it; null if it is whole. */
  missingPart: string | null;
  /** Why its place is not known; absent if it is. */
  problem?: string;
}

export interface GtfaResult<Item> {
  items: Item[];
  /** Continues after the last item; null if nothing follows. */
  token: string | null;
}

/** Reads a result. @param readItem reads one element. @throws MalformedBlockError, MalformedTextError */
export function readGtfaResult<Item>(result: JsonCursor, readItem: (item: JsonCursor) => Item): GtfaResult<Item> {
  const items: Item[] = [];
  const found = { hasItems: false, token: null as string | null };
  result.visitMembers((name) => {
    if (name === 'data') found.hasItems = result.visitElements(() => items.push(readItem(result)));
    else if (name === 'paginationToken') found.token = asToken(result.readValue());
    else result.skip();
  });
  if (!found.hasItems) throw new MalformedTextError('expected a list of transactions');
  return { items, token: found.token };
}

function asToken(value: unknown): string | null {
  return value === null || value === '' ? null : asText(value);
}

/** Reads an item of the mode `signatures`. */
export function readSignatureItem(cursor: JsonCursor): GtfaItem {
  const { slot, transactionIndex, signature, err } = asFields(cursor.readValue());
  return { slot: asSlot(slot), index: asU32(transactionIndex), id: asText(signature), isFailed: err !== null };
}

const PLACE = ['slot', 'transactionIndex', 'blockTime'];
const PARTS = ['transaction', 'meta', 'version'];

/** Reads an item of the mode `full`. Its parts stay text: to build their values takes long and rounds their numbers. */
export function readFullItem(cursor: JsonCursor): GtfaTransaction {
  const place = new Map<string, unknown>();
  const parts: string[] = [];
  cursor.visitMembers((name) => {
    if (PLACE.includes(name)) place.set(name, cursor.readValue());
    else if (PARTS.includes(name)) parts.push(`"${name}":${cursor.readText()}`);
    else cursor.skip();
  });
  const json = `{${parts.join(',')}}`;
  const signature = findSignature(json);
  return {
    slot: asSlot(place.get('slot')),
    index: asU32(place.get('transactionIndex')),
    id: signature ? toBase58(signature) : json,
    isFailed: isFailedTransaction(json),
    blockTime: parseBlockTime(place.get('blockTime')),
    json,
    signature,
    missingPart: signature ? findMissingPart(json) : 'not a transaction in base64',
  };
}
