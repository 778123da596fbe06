import { type MessageInitShape } from '@bufbuild/protobuf';
import { type TreeChange } from '@fresnel/domain/trees';
import * as wire from '../generated/tree-updates.v1_pb';
import { type MessageCodec } from '../topic';
import {
  type NamedBranch,
  type PublishedUpdate,
  type TreeUpdatesMessage,
  type Watermark,
} from '../tree-updates.message';
import {
  readBlockLink,
  readBlockRef,
  readElementUpdate,
  readSlotAdopted,
  readSlotReverted,
  readTreeInfo,
  writeBlockLink,
  writeBlockRef,
  writeElementUpdate,
  writeSlotAdopted,
  writeSlotReverted,
  writeTreeInfo,
} from './common.codec';
import { nullable, readHash, required, unknownKind } from './fields';
import { codecOf, protobufVersion } from './protobuf.codec';
import { readStateChange, writeStateChange } from './state-changes.codec';

/** Encoding of `tree-updates`: schemas/tree-updates.v1.proto. */
export const TREE_UPDATES_CODEC: MessageCodec<TreeUpdatesMessage> = codecOf(
  protobufVersion(1, wire.TreeUpdatesRecordSchema, writeMessage, readMessage),
);

function writeMessage(message: TreeUpdatesMessage): MessageInitShape<typeof wire.TreeUpdatesRecordSchema> {
  switch (message.kind) {
    case 'update':
      return { kind: { case: 'update', value: writeUpdate(message) } };
    case 'watermark':
      return { kind: { case: 'watermark', value: writeWatermark(message) } };
    case 'slot-reverted':
      return { kind: { case: 'slotReverted', value: writeSlotReverted(message) } };
    case 'slot-adopted':
      return { kind: { case: 'slotAdopted', value: writeSlotAdopted(message) } };
  }
}

function readMessage({ kind }: wire.TreeUpdatesRecord): TreeUpdatesMessage {
  switch (kind.case) {
    case 'update':
      return readUpdate(kind.value);
    case 'watermark':
      return readWatermark(kind.value);
    case 'slotReverted':
      return readSlotReverted(kind.value);
    case 'slotAdopted':
      return readSlotAdopted(kind.value);
    case undefined:
      throw unknownKind('record');
  }
}

function writeWatermark(watermark: Watermark): MessageInitShape<typeof wire.WatermarkSchema> {
  const { changesTrees } = watermark;
  return { block: writeBlockLink(watermark), ...writeBranch(watermark), changesTrees };
}

function readWatermark(watermark: wire.Watermark): Watermark {
  const { block, changesTrees } = watermark;
  return { kind: 'watermark', ...readBlockLink(block), ...readBranch(watermark), changesTrees };
}

function writeUpdate(message: PublishedUpdate): MessageInitShape<typeof wire.TreeUpdateSchema> {
  const { update, isRepublished } = message;
  return {
    block: writeBlockLink(update),
    tree: writeTreeInfo(update.tree),
    changes: update.changes.map(writeChange),
    ...writeBranch(message),
    isRepublished,
  };
}

function readUpdate(message: wire.TreeUpdate): PublishedUpdate {
  const { block, tree, changes, isRepublished } = message;
  const update = {
    ...readBlockLink(block),
    tree: readTreeInfo(required(tree, 'tree')),
    changes: changes.map(readChange),
  };
  return { kind: 'update', update, ...readBranch(message), isRepublished };
}

function writeBranch({ previousChange, silentBlocks }: NamedBranch) {
  return {
    previousChange: previousChange ? writeBlockRef(previousChange) : undefined,
    silentBlocks: silentBlocks.map(writeBlockRef),
  };
}

function readBranch({ previousChange, silentBlocks }: wire.TreeUpdate | wire.Watermark): NamedBranch {
  return { previousChange: nullable(previousChange, readBlockRef), silentBlocks: silentBlocks.map(readBlockRef) };
}

function writeChange(change: TreeChange): MessageInitShape<typeof wire.ChangeSchema> {
  switch (change.kind) {
    case 'address-insert': {
      const { seq, updates } = change;
      return { kind: { case: 'addressInsert', value: { seq, updates: updates.map(writeElementUpdate) } } };
    }
    case 'address-queued': {
      const { address, queueIndex } = change;
      return { kind: { case: 'addressQueued', value: { address, queueIndex } } };
    }
    case 'address-batch': {
      const { seq, oldNextIndex, newNextIndex, newRoot } = change;
      return { kind: { case: 'addressBatch', value: { seq, oldNextIndex, newNextIndex, newRoot } } };
    }
    case 'leaves-appended':
    case 'leaves-nullified':
    case 'leaf-queued':
    case 'leaf-migrated':
    case 'nullifier-queued':
    case 'append-batch':
    case 'nullify-batch':
      return { kind: writeStateChange(change) };
  }
}

function readChange({ kind }: wire.Change): TreeChange {
  switch (kind.case) {
    case 'addressInsert':
      return { kind: 'address-insert', seq: kind.value.seq, updates: kind.value.updates.map(readElementUpdate) };
    case 'addressQueued':
      return { kind: 'address-queued', address: readHash(kind.value.address), queueIndex: kind.value.queueIndex };
    case 'addressBatch': {
      const { seq, oldNextIndex, newNextIndex, newRoot } = kind.value;
      return { kind: 'address-batch', seq, oldNextIndex, newNextIndex, newRoot: readHash(newRoot) };
    }
    case undefined:
      throw unknownKind('change');
    case 'leavesAppended':
    case 'leavesNullified':
    case 'leafQueued':
    case 'leafMigrated':
    case 'nullifierQueued':
    case 'appendBatch':
    case 'nullifyBatch':
      return readStateChange(kind);
  }
}
