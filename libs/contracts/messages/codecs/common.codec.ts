import { type MessageInitShape } from '@bufbuild/protobuf';
import { type BlockRef } from '@fresnel/domain/chain';
import { type Hash, type Slot } from '@fresnel/domain/primitives';
import {
  type AddressUpdate,
  type IndexedElement,
  requireTreeType,
  type TreeInfo,
  type TreeType,
} from '@fresnel/domain/trees';
import * as wire from '../generated/common.v1_pb';
import { type SlotReverted } from '../slot-reverted';
import { nullable, readHash, readPubkey, readSlot, required } from './fields';

/** What is written for a shared part of a message. */
type Init<Name extends 'TreeInfo' | 'SlotReverted' | 'ElementUpdate' | 'Element'> = MessageInitShape<
  (typeof wire)[`${Name}Schema`]
>;

const TYPES: Record<TreeType, wire.TreeType> = {
  stateV1: wire.TreeType.STATE_V1,
  addressV1: wire.TreeType.ADDRESS_V1,
  stateV2: wire.TreeType.STATE_V2,
  addressV2: wire.TreeType.ADDRESS_V2,
};

export function writeTreeInfo({ type, owner, observed, ...info }: TreeInfo): Init<'TreeInfo'> {
  const { slot, root, ...numbers } = observed;
  return {
    ...info,
    type: TYPES[type],
    owner: owner ?? undefined,
    observed: { ...numbers, slot: BigInt(slot), root: root ?? undefined },
  };
}

export function readTreeInfo({
  tree,
  queue,
  type,
  height,
  rootHistoryCapacity,
  owner,
  ...rest
}: wire.TreeInfo): TreeInfo {
  const { slot, seq, nextIndex, queueEnd, root } = required(rest.observed, 'observed');
  return {
    tree: readPubkey(tree),
    queue: readPubkey(queue),
    type: requireTreeType(type),
    height,
    rootHistoryCapacity,
    owner: nullable(owner, readPubkey),
    observed: { slot: readSlot(slot), seq, nextIndex, queueEnd, root: nullable(root, readHash) },
  };
}

export function writeSlotReverted({ slot, blockhash, goesOnFrom }: SlotReverted): Init<'SlotReverted'> {
  return {
    slot: BigInt(slot),
    blockhash,
    goesOnFrom: goesOnFrom && { slot: BigInt(goesOnFrom.slot), blockhash: goesOnFrom.blockhash },
  };
}

export function readSlotReverted({ slot, blockhash, goesOnFrom }: wire.SlotReverted): SlotReverted {
  const reverted: SlotReverted = { kind: 'slot-reverted', slot: readSlot(slot), blockhash: readHash(blockhash) };
  if (goesOnFrom) reverted.goesOnFrom = readBlockRef(goesOnFrom);
  return reverted;
}

function readBlockRef({ slot, blockhash }: wire.BlockRef): BlockRef {
  return { slot: readSlot(slot), blockhash: readHash(blockhash) };
}

export function writeElementUpdate({ low, lowHash, high, highHash }: AddressUpdate): Init<'ElementUpdate'> {
  return { low: writeElement(low), lowHash, high: writeElement(high), highHash };
}

export function readElementUpdate({ low, lowHash, high, highHash }: wire.ElementUpdate): AddressUpdate {
  return {
    low: readElement(required(low, 'low')),
    lowHash: readHash(lowHash),
    high: readElement(required(high, 'high')),
    highHash: readHash(highHash),
  };
}

function writeElement({ index, value, nextIndex, nextValue }: IndexedElement): Init<'Element'> {
  return { index: BigInt(index), value, nextIndex: BigInt(nextIndex), nextValue };
}

function readElement({ index, value, nextIndex, nextValue }: wire.Element): IndexedElement {
  return {
    index: Number(index),
    value: readHash(value),
    nextIndex: Number(nextIndex),
    nextValue: readHash(nextValue),
  };
}
