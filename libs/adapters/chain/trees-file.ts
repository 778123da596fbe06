import { readFileSync } from 'node:fs';
import { FresnelError, messageOf, parsePubkey, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { MAX_HEIGHT, TREE_TYPES, type TreeInfo, type TreeType } from '@fresnel/domain/trees';
import { asFields, asList, asNumber, asText } from './rpc-values';

/** The file of trees is not there or an entry is wrong. */
export class TreesFileError extends FresnelError {
  readonly code = 'trees-file';
  readonly isRetryable = false;
}

/**
 * Reads trees from a JSON file: a list of
 * `{tree, queue, type, height, rootHistoryCapacity, owner?, initial: {sequenceNumber, nextIndex}}` with `type` one of
 * `stateV1`, `addressV1`, `stateV2`, `addressV2`; `initial` is how the tree was created.
 *
 * @param treeOwner entries that name another owner are left out; null: every entry counts
 * @throws TreesFileError that names the entry
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

function parseList(path: string): unknown[] {
  try {
    return asList(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new TreesFileError(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function parseEntry(entry: unknown): TreeInfo {
  const { tree, queue, type, height, rootHistoryCapacity, owner, initial } = asFields(entry);
  const { sequenceNumber, nextIndex } = asFields(initial);
  const ownerText = owner ?? null;
  return {
    tree: parsePubkey(asText(tree)),
    queue: parsePubkey(asText(queue)),
    type: parseType(type),
    height: parseWithin(height, 1, MAX_HEIGHT, 'height'),
    rootHistoryCapacity: parseWithin(rootHistoryCapacity, 1, 2 ** 32, 'rootHistoryCapacity'),
    owner: ownerText === null ? null : parsePubkey(asText(ownerText)),
    observed: {
      slot: toSlot(0),
      seq: BigInt(parseWithin(sequenceNumber, 0, Number.MAX_SAFE_INTEGER, 'sequenceNumber')),
      nextIndex: BigInt(parseWithin(nextIndex, 0, Number.MAX_SAFE_INTEGER, 'nextIndex')),
      queueEnd: 0n,
      root: null,
    },
  };
}

function parseType(value: unknown): TreeType {
  const name = asText(value);
  const known = Object.keys(TREE_TYPES) as TreeType[];
  const type = known.find((candidate) => candidate === name);
  if (!type) throw new TreesFileError(`type ${name} is none of ${known.join(', ')}`);
  return type;
}

function parseWithin(value: unknown, least: number, most: number, what: string): number {
  const number = asNumber(value);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new TreesFileError(`${what} ${number} is not from ${least} to ${most}`);
}
