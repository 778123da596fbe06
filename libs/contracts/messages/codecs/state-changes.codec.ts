import { type MessageInitShape } from '@bufbuild/protobuf';
import { type StateBatchChange, type StateTreeChange } from '@fresnel/domain/trees';
import type * as wire from '../generated/tree-updates.v1_pb';
import { readHash } from './fields';

/** What the encoder accepts for the kind of a change. */
type ChangeInit = NonNullable<MessageInitShape<typeof wire.ChangeSchema>['kind']>;
/** The kinds of changes of state trees. */
type StateChangeKind = Exclude<
  wire.Change['kind'],
  { case: 'addressInsert' | 'addressQueued' | 'addressBatch' } | { case: undefined }
>;

export function writeStateChange(change: StateTreeChange): ChangeInit {
  switch (change.kind) {
    case 'leaves-appended': {
      const leaves = change.leaves.map(({ leafIndex, hash }) => ({ leafIndex: BigInt(leafIndex), hash }));
      return { case: 'leavesAppended', value: { seq: change.seq, leaves } };
    }
    case 'leaves-nullified':
      return {
        case: 'leavesNullified',
        value: { seq: change.seq, leafIndices: change.leafIndices.map((index) => BigInt(index)) },
      };
    case 'leaf-queued':
      return { case: 'leafQueued', value: { leafIndex: BigInt(change.leafIndex), hash: change.hash } };
    case 'leaf-migrated': {
      const { hash, leafIndex } = change;
      return {
        case: 'leafMigrated',
        value: { hash, ...(leafIndex !== undefined && { leafIndex: BigInt(leafIndex) }) },
      };
    }
    case 'nullifier-queued': {
      const { queueIndex, leafIndex, hash, txHash } = change;
      return { case: 'nullifierQueued', value: { queueIndex, leafIndex: BigInt(leafIndex), hash, txHash } };
    }
    case 'append-batch':
      return { case: 'appendBatch', value: writeBatch(change) };
    case 'nullify-batch':
      return { case: 'nullifyBatch', value: writeBatch(change) };
  }
}

/** @throws MalformedTextError for an invalid hash */
export function readStateChange(kind: StateChangeKind): StateTreeChange {
  switch (kind.case) {
    case 'leavesAppended':
      return { kind: 'leaves-appended', seq: kind.value.seq, leaves: kind.value.leaves.map(readLeaf) };
    case 'leavesNullified':
      return { kind: 'leaves-nullified', seq: kind.value.seq, leafIndices: kind.value.leafIndices.map(Number) };
    case 'leafQueued':
      return { kind: 'leaf-queued', ...readLeaf(kind.value) };
    case 'leafMigrated': {
      const { leafIndex } = kind.value;
      const counted = leafIndex === undefined ? {} : { leafIndex: Number(leafIndex) };
      return { kind: 'leaf-migrated', hash: readHash(kind.value.hash), ...counted };
    }
    case 'nullifierQueued': {
      const { queueIndex, txHash } = kind.value;
      return { kind: 'nullifier-queued', queueIndex, ...readLeaf(kind.value), txHash: readHash(txHash) };
    }
    case 'appendBatch':
      return { kind: 'append-batch', ...readBatch(kind.value) };
    case 'nullifyBatch':
      return { kind: 'nullify-batch', ...readBatch(kind.value) };
  }
}

function readLeaf({ leafIndex, hash }: { leafIndex: bigint; hash: Uint8Array }) {
  return { leafIndex: Number(leafIndex), hash: readHash(hash) };
}

function writeBatch({ seq, oldNextIndex, newNextIndex, newRoot }: StateBatchChange): Omit<StateBatchChange, 'kind'> {
  return { seq, oldNextIndex, newNextIndex, newRoot };
}

function readBatch({ seq, oldNextIndex, newNextIndex, newRoot }: wire.StateBatch): Omit<StateBatchChange, 'kind'> {
  return { seq, oldNextIndex, newNextIndex, newRoot: readHash(newRoot) };
}
