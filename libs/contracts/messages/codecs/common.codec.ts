import { type MessageInitShape } from '@bufbuild/protobuf';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import {
  type AddressUpdate,
  type IndexedElement,
  requireTreeType,
  type TreeInfo,
  type TreeType,
} from '@fresnel/domain/trees';
import * as wire from '../generated/common.v1_pb';
import { type SlotAdopted } from '../slot-adopted';
import { type SlotReverted } from '../slot-reverted';
import { nullable, readHash, readPubkey, readSlot, required } from './fields';

/** What the encoder accepts for a shared message. */
type Init<
  Name extends 'BlockRef' | 'BlockLink' | 'SlotReverted' | 'SlotAdopted' | 'TreeInfo' | 'ElementUpdate' | 'Element',
> = MessageInitShape<(typeof wire)[`${Name}Schema`]>;

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
  const { slot, seq, nextIndex, queueEnd, inputQueueEnd, root } = required(rest.observed, 'observed');
  return {
    tree: readPubkey(tree),
    queue: readPubkey(queue),
    type: requireTreeType(type),
    height,
    rootHistoryCapacity,
    owner: nullable(owner, readPubkey),
    observed: { slot: readSlot(slot), seq, nextIndex, queueEnd, inputQueueEnd, root: nullable(root, readHash) },
  };
}

export function writeBlockLink(block: BlockLink): Init<'BlockLink'> {
  const { slot, blockhash, parentSlot, parentBlockhash } = block;
  return { slot: BigInt(slot), blockhash, parentSlot: BigInt(parentSlot), parentBlockhash };
}

/** @throws MalformedBytesError, MalformedTextError */
export function readBlockLink(block: wire.BlockLink | undefined): BlockLink {
  const { slot, blockhash, parentSlot, parentBlockhash } = required(block, 'block');
  return {
    slot: readSlot(slot),
    blockhash: readHash(blockhash),
    parentSlot: readSlot(parentSlot),
    parentBlockhash: readHash(parentBlockhash),
  };
}

export function writeSlotReverted({ slot, blockhash, forkPoint }: SlotReverted): Init<'SlotReverted'> {
  return { block: writeBlockRef({ slot, blockhash }), forkPoint: forkPoint && writeBlockRef(forkPoint) };
}

/** @throws MalformedBytesError, MalformedTextError */
export function readSlotReverted({ block, forkPoint }: wire.SlotReverted): SlotReverted {
  const reverted: SlotReverted = { kind: 'slot-reverted', ...readBlockRef(required(block, 'block')) };
  if (forkPoint) reverted.forkPoint = readBlockRef(forkPoint);
  return reverted;
}

export function writeSlotAdopted(block: SlotAdopted): Init<'SlotAdopted'> {
  return { block: writeBlockRef(block) };
}

/** @throws MalformedBytesError, MalformedTextError */
export function readSlotAdopted({ block }: wire.SlotAdopted): SlotAdopted {
  return { kind: 'slot-adopted', ...readBlockRef(required(block, 'block')) };
}

export function writeBlockRef({ slot, blockhash }: BlockRef): Init<'BlockRef'> {
  return { slot: BigInt(slot), blockhash };
}

/** @throws MalformedTextError */
export function readBlockRef({ slot, blockhash }: wire.BlockRef): BlockRef {
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
