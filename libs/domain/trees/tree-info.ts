import { type Hash, MalformedBytesError, type Pubkey, type Slot } from '@fresnel/domain/primitives';

/** Kinds of trees with the codes that the chain uses for them. */
export const TREE_TYPES = { stateV1: 1, addressV1: 2, stateV2: 3, addressV2: 4 } as const;

export type TreeType = keyof typeof TREE_TYPES;
export type AddressTreeType = 'addressV1' | 'addressV2';

/** What is known about a tree besides its contents. */
export interface TreeInfo {
  tree: Pubkey;
  /** V1: nullifier or address queue. StateV2: output queue. AddressV2: the tree itself. */
  queue: Pubkey;
  type: TreeType;
  /** Levels below the root; a proof has as many siblings. */
  height: number;
  /** Entries of the on-chain ring of roots; root number s sits at s modulo this. */
  rootHistoryCapacity: number;
  /** Owner inside the tree account, null where it was configured without one. */
  owner: Pubkey | null;
  /** How far the tree was when its account was read (or as configured). */
  observed: TreeObservation;
}

/** The tree account at one moment. */
export interface TreeObservation {
  /** Slot at which the account was read; 0 when the values come from configuration. */
  slot: Slot;
  seq: bigint;
  nextIndex: bigint;
  /** AddressV2: where the next address of the queue goes. 0 for other types and where it was not read. */
  queueEnd: bigint;
  /** The tree's current root, null where it was not read. */
  root: Hash | null;
}

export function isAddressTree(info: TreeInfo): info is TreeInfo & { type: AddressTreeType } {
  return info.type === 'addressV1' || info.type === 'addressV2';
}

/** The type of a code, null for a code that is not one of a tree. */
export function treeTypeOf(code: number): TreeType | null {
  const entry = Object.entries(TREE_TYPES).find(([, value]) => value === code);
  return entry ? (entry[0] as TreeType) : null;
}

/** The type of a code that we wrote ourselves. @throws MalformedBytesError for any other code */
export function requireTreeType(code: number): TreeType {
  const type = treeTypeOf(code);
  if (!type) throw new MalformedBytesError(`tree type ${code}`);
  return type;
}
