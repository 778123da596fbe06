import { type MessageInitShape } from '@bufbuild/protobuf';
import { type TreeUpdate } from '@fresnel/domain/state';
import { type AddressTreeChange, isAddressTree } from '@fresnel/domain/trees';
import { MalformedBytesError } from '@fresnel/domain/primitives';
import * as wire from '../generated/tree-updates.v1_pb';
import { type MessageCodec } from '../topic';
import { type TreeUpdatesMessage } from '../tree-updates.topic';
import {
  readElementUpdate,
  readSlotReverted,
  readTreeInfo,
  writeElementUpdate,
  writeSlotReverted,
  writeTreeInfo,
} from './common.codec';
import { readHash, readSlot, required, unknownKind } from './fields';
import { codecOf, protobufVersion } from './protobuf.codec';

/** The bytes of `tree-updates`, as schemas/tree-updates.v1.proto says. */
export const TREE_UPDATES_CODEC: MessageCodec<TreeUpdatesMessage> = codecOf(
  protobufVersion(1, wire.TreeUpdatesRecordSchema, writeMessage, readMessage),
);

function writeMessage(message: TreeUpdatesMessage): MessageInitShape<typeof wire.TreeUpdatesRecordSchema> {
  switch (message.kind) {
    case 'update': {
      const { slot, tree, changes, blockhash, parentBlockhash } = message.update;
      const block = { slot: BigInt(slot), blockhash, parentBlockhash };
      return {
        kind: { case: 'update', value: { ...block, tree: writeTreeInfo(tree), changes: changes.map(writeChange) } },
      };
    }
    case 'slot-reached': {
      const { slot, blockhash, parentBlockhash } = message;
      return { kind: { case: 'slotReached', value: { slot: BigInt(slot), blockhash, parentBlockhash } } };
    }
    case 'slot-reverted':
      return { kind: { case: 'slotReverted', value: writeSlotReverted(message) } };
  }
}

function readMessage({ kind }: wire.TreeUpdatesRecord): TreeUpdatesMessage {
  switch (kind.case) {
    case 'update':
      return { kind: 'update', update: readUpdate(kind.value) };
    case 'slotReached':
      return { kind: 'slot-reached', ...readBlock(kind.value) };
    case 'slotReverted':
      return readSlotReverted(kind.value);
    case undefined:
      throw unknownKind('a record');
  }
}

function readUpdate({ tree, changes, ...block }: wire.Update): TreeUpdate {
  const info = readTreeInfo(required(tree, 'tree'));
  if (!isAddressTree(info)) throw new MalformedBytesError(`an update of a tree of type ${info.type}`);
  return { ...readBlock(block), tree: info, changes: changes.map(readChange) };
}

/** What is absent stays absent. */
function readBlock(
  block: Pick<wire.SlotReached, 'slot' | 'blockhash' | 'parentBlockhash'>,
): Pick<TreeUpdate, 'slot' | 'blockhash' | 'parentBlockhash'> {
  const read: ReturnType<typeof readBlock> = { slot: readSlot(block.slot) };
  if (block.blockhash) read.blockhash = readHash(block.blockhash);
  if (block.parentBlockhash) read.parentBlockhash = readHash(block.parentBlockhash);
  return read;
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
      throw unknownKind('a change');
  }
}
