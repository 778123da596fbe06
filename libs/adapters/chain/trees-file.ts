import { readFileSync } from 'node:fs';
import {
  asFields,
  asList,
  asNumber,
  asText,
  FresnelError,
  messageOf,
  parsePubkey,
  type Pubkey,
  toBase58,
  toSlot,
} from '@fresnel/domain/primitives';
import { MAX_HEIGHT, TREE_TYPES, type TreeInfo, type TreeType } from '@fresnel/domain/trees';

/** The trees file is missing or has an invalid entry. */
export class TreesFileError extends FresnelError {
  readonly code = 'trees-file';
  readonly isRetryable = false;
}

/**
 * Reads trees from a JSON file: an array of
 * `{tree, queue, type, height, rootHistoryCapacity, owner?, initial: {sequenceNumber, nextIndex}}` with `type` one of
 * `stateV1`, `addressV1`, `stateV2`, `addressV2`; `initial` is the state of the tree after its creation.
 *
 * @param treeOwner entries with another owner are ignored; null: all entries are read
 * @throws TreesFileError whose message contains the position of the entry
 */
export function readTreesFile(path: string, treeOwner: Pubkey | null): TreeInfo[] {
  const trees = parseList(path).map((entry, at) => {
    try {
      return parseEntry(entry);
    } catch (error) {
      throw new TreesFileError(`${path}, entry ${at + 1}: ${messageOf(error)}`, { cause: error });
    }
  });
  return trees.filter(({ owner }) => !treeOwner || !owner || owner.equals(treeOwner));
}

/** Writes trees in the format that `readTreesFile` reads; what was observed last becomes the initial state. */
export function formatTreesFile(trees: readonly TreeInfo[]): string {
  const entries = trees.map(({ tree, queue, type, height, rootHistoryCapacity, owner, observed }) => ({
    tree: toBase58(tree),
    queue: toBase58(queue),
    type,
    height,
    rootHistoryCapacity,
    owner: owner && toBase58(owner),
    initial: { sequenceNumber: Number(observed.seq), nextIndex: Number(observed.nextIndex) },
  }));
  return `${JSON.stringify(entries, null, 2)}\n`;
}

function parseList(path: string): unknown[] {
  try {
    return asList(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new TreesFileError(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function parseEntry(entry: unknown): TreeInfo {
  const { tree, queue, type, height, rootHistoryCapacity, owner, initial } = asFields(entry);
  const { sequenceNumber, nextIndex } = read('initial', () => asFields(initial));
  return {
    tree: read('tree', () => parsePubkey(asText(tree))),
    queue: read('queue', () => parsePubkey(asText(queue))),
    type: read('type', () => parseType(asText(type))),
    height: read('height', () => parseWithin(height, 1, MAX_HEIGHT)),
    rootHistoryCapacity: read('rootHistoryCapacity', () => parseWithin(rootHistoryCapacity, 1, 2 ** 32 - 1)),
    owner: read('owner', () => (owner === undefined || owner === null ? null : parsePubkey(asText(owner)))),
    observed: {
      slot: toSlot(0),
      seq: BigInt(read('sequenceNumber', () => parseWithin(sequenceNumber, 0, Number.MAX_SAFE_INTEGER))),
      nextIndex: BigInt(read('nextIndex', () => parseWithin(nextIndex, 0, Number.MAX_SAFE_INTEGER))),
      queueEnd: 0n,
      inputQueueEnd: 0n,
      root: null,
    },
  };
}

/** Prefixes error messages with the name of the member. */
function read<Value>(member: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new TreesFileError(`${member}: ${messageOf(error)}`, { cause: error });
  }
}

function parseType(name: string): TreeType {
  const known = Object.keys(TREE_TYPES) as TreeType[];
  const type = known.find((candidate) => candidate === name);
  if (!type) throw new TreesFileError(`${name} is not one of ${known.join(', ')}`);
  return type;
}

function parseWithin(value: unknown, min: number, max: number): number {
  const number = asNumber(value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new TreesFileError(`${number} is not an integer from ${min} to ${max}`);
}
