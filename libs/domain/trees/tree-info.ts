import { type Hash, MalformedBytesError, type Pubkey, type Slot } from '@fresnel/domain/primitives';

/** Types of trees, with their codes on the chain. */
export const TREE_TYPES = { stateV1: 1, addressV1: 2, stateV2: 3, addressV2: 4 } as const;

export type TreeType = keyof typeof TREE_TYPES;
export type AddressTreeType = 'addressV1' | 'addressV2';

/** The metadata of a tree. */
export interface TreeInfo {
  tree: Pubkey;
  /** V1: nullifier or address queue. StateV2: output queue. AddressV2: the tree itself. */
  queue: Pubkey;
  type: TreeType;
  /** Number of levels below the root, and of siblings in a proof. */
  height: number;
  /** Capacity of the root history on the chain. Root number s is stored at s modulo this. */
  rootHistoryCapacity: number;
  /** Owner stored in the tree account; null for a configured tree without an owner. */
  owner: Pubkey | null;
  /** The state of the tree when its account was read, or as configured. */
  observed: TreeObservation;
}

/** The state of a tree account at one slot. */
export interface TreeObservation {
  /** Slot at which the account was read; 0 when the values come from configuration. */
  slot: Slot;
  seq: bigint;
  nextIndex: bigint;
  /** AddressV2: queue position of the next queued address. 0 for other types, and if it was not read. */
  queueEnd: bigint;
  /** StateV2: position of the next entry of the input queue. 0 for other types, and if it was not read. */
  inputQueueEnd: bigint;
  /** The current root; null if it was not read. */
  root: Hash | null;
}

/** The metadata of an address tree. */
export type AddressTreeInfo = TreeInfo & { type: AddressTreeType };

export function isAddressTree(info: TreeInfo): info is AddressTreeInfo {
  return info.type === 'addressV1' || info.type === 'addressV2';
}

const TYPE_OF_CODE = new Map<number, TreeType>(
  Object.entries(TREE_TYPES).map(([type, code]) => [code, type as TreeType]),
);

/** Returns the tree type of a code; null for other codes. */
export function treeTypeOf(code: number): TreeType | null {
  return TYPE_OF_CODE.get(code) ?? null;
}

/** Returns the tree type of a code that Fresnel stored. @throws MalformedBytesError for other codes */
export function requireTreeType(code: number): TreeType {
  const type = treeTypeOf(code);
  if (!type) throw new MalformedBytesError(`tree type ${code}`);
  return type;
}
