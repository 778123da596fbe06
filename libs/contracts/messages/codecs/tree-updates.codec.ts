import { type MessageInitShape } from '@bufbuild/protobuf';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type TreeChange } from '@fresnel/domain/trees';
import * as wire from '../generated/tree-updates.v1_pb';
import { type MessageCodec } from '../topic';
import { type TreeUpdatesMessage, type Watermark } from '../tree-updates.message';
import {
  readBlockLink,
  readElementUpdate,
  readSlotReverted,
  readTreeInfo,
  writeBlockLink,
  writeElementUpdate,
  writeSlotReverted,
  writeTreeInfo,
} from './common.codec';
import { readHash, required, unknownKind } from './fields';
import { codecOf, protobufVersion } from './protobuf.codec';
import { readStateChange, writeStateChange } from './state-changes.codec';

/** Encoding of `tree-updates`: schemas/tree-updates.v1.proto. */
export const TREE_UPDATES_CODEC: MessageCodec<TreeUpdatesMessage> = codecOf(
  protobufVersion(1, wire.TreeUpdatesRecordSchema, writeMessage, readMessage),
);

function writeMessage(message: TreeUpdatesMessage): MessageInitShape<typeof wire.TreeUpdatesRecordSchema> {
  switch (message.kind) {
    case 'update':
      return { kind: { case: 'update', value: writeUpdate(message.update) } };
    case 'watermark':
      return { kind: { case: 'watermark', value: writeWatermark(message) } };
    case 'slot-reverted':
      return { kind: { case: 'slotReverted', value: writeSlotReverted(message) } };
  }
}

function readMessage({ kind }: wire.TreeUpdatesRecord): TreeUpdatesMessage {
  switch (kind.case) {
    case 'update':
      return { kind: 'update', update: readUpdate(kind.value) };
    case 'watermark':
      return { kind: 'watermark', ...readBlockLink(kind.value.block), silent: kind.value.silent.map(readBlockLink) };
    case 'slotReverted':
      return readSlotReverted(kind.value);
    case undefined:
      throw unknownKind('record');
  }
}

function writeWatermark(watermark: Watermark): MessageInitShape<typeof wire.WatermarkSchema> {
  return { block: writeBlockLink(watermark), silent: watermark.silent.map(writeBlockLink) };
}

function writeUpdate(update: TreeUpdate): MessageInitShape<typeof wire.TreeUpdateSchema> {
  const { tree, changes } = update;
  return { block: writeBlockLink(update), tree: writeTreeInfo(tree), changes: changes.map(writeChange) };
}

function readUpdate({ block, tree, changes }: wire.TreeUpdate): TreeUpdate {
  return { ...readBlockLink(block), tree: readTreeInfo(required(tree, 'tree')), changes: changes.map(readChange) };
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
