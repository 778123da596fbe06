import { type MessageInitShape } from '@bufbuild/protobuf';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeChange, isAddressTree } from '@fresnel/domain/trees';
import { MalformedBytesError } from '@fresnel/domain/primitives';
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
  const info = readTreeInfo(required(tree, 'tree'));
  if (!isAddressTree(info)) throw new MalformedBytesError(`update of a tree of type ${info.type}, not an address tree`);
  return { ...readBlockLink(block), tree: info, changes: changes.map(readChange) };
}

function writeChange(change: AddressTreeChange): MessageInitShape<typeof wire.ChangeSchema> {
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
  }
}

function readChange({ kind }: wire.Change): AddressTreeChange {
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
  }
}
