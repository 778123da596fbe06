import { type MessageInitShape } from '@bufbuild/protobuf';
import { type AttestedRange } from '@fresnel/domain/chain';
import { MalformedBytesError } from '@fresnel/domain/primitives';
import { type DeadLetter, type SlotEvents, type TransactionEvents } from '@fresnel/domain/state';
import * as wire from '../generated/slot-events.v1_pb';
import { type PublishedSlot, type SlotEventsMessage } from '../slot-events.message';
import { type MessageCodec } from '../topic';
import {
  readBlockLink,
  readBlockRef,
  readSlotAdopted,
  readSlotReverted,
  readTreeInfo,
  writeBlockLink,
  writeBlockRef,
  writeSlotAdopted,
  writeSlotReverted,
  writeTreeInfo,
} from './common.codec';
import { readEvent, writeEvent } from './events.codec';
import { nullable, readSignature, readSignatures, readSlot, unknownKind } from './fields';
import { codecOf, protobufVersion } from './protobuf.codec';

/** Encoding of `slot-events`: schemas/slot-events.v1.proto. */
export const SLOT_EVENTS_CODEC: MessageCodec<SlotEventsMessage> = codecOf(
  protobufVersion(1, wire.SlotEventsRecordSchema, writeMessage, readMessage),
);

function writeMessage(message: SlotEventsMessage): MessageInitShape<typeof wire.SlotEventsRecordSchema> {
  switch (message.kind) {
    case 'slot':
      return { kind: { case: 'slot', value: writeSlot(message) } };
    case 'tip': {
      const { slot, seenAt } = message;
      return { kind: { case: 'tip', value: { slot: BigInt(slot), seenAtMs: BigInt(seenAt.getTime()) } } };
    }
    case 'slot-reverted':
      return { kind: { case: 'slotReverted', value: writeSlotReverted(message) } };
    case 'slot-adopted':
      return { kind: { case: 'slotAdopted', value: writeSlotAdopted(message) } };
  }
}

function readMessage({ kind }: wire.SlotEventsRecord): SlotEventsMessage {
  switch (kind.case) {
    case 'slot':
      return readPublishedSlot(kind.value);
    case 'tip':
      return { kind: 'tip', slot: readSlot(kind.value.slot), seenAt: readTime(kind.value.seenAtMs) };
    case 'slotReverted':
      return readSlotReverted(kind.value);
    case 'slotAdopted':
      return readSlotAdopted(kind.value);
    case undefined:
      throw unknownKind('record');
  }
}

/** @param ms Unix milliseconds @throws MalformedBytesError for a time that no `Date` has */
function readTime(ms: bigint): Date {
  const time = new Date(Number(ms));
  if (Number.isNaN(time.getTime())) throw new MalformedBytesError(`${ms} is not a time`);
  return time;
}

function readPublishedSlot(slot: wire.SlotEvents): PublishedSlot {
  const published: PublishedSlot = { kind: 'slot', events: readSlotEvents(slot), isOfRange: slot.isOfRange };
  if (slot.previousChange) published.previousChange = readBlockRef(slot.previousChange);
  return published;
}

function writeSlot({
  events: slot,
  isOfRange,
  previousChange,
}: PublishedSlot): MessageInitShape<typeof wire.SlotEventsSchema> {
  return {
    block: writeBlockLink(slot),
    blockTime: BigInt(slot.blockTime),
    blockHeight: slot.blockHeight === null ? undefined : BigInt(slot.blockHeight),
    isFirst: slot.isFirst,
    transactions: slot.transactions.map(({ signature, index, events, json }) => ({
      signature,
      index,
      events: events.map(writeEvent),
      json,
    })),
    trees: slot.trees.map(writeTreeInfo),
    deadLetters: slot.deadLetters.map(({ signature, index, reasons, json }) => ({
      signature: signature ?? undefined,
      index,
      reasons,
      json,
    })),
    isOfRange,
    signatures: slot.signatures === null ? undefined : Buffer.concat(slot.signatures),
    previousChange: previousChange && writeBlockRef(previousChange),
    attested: slot.attested && writeAttested(slot.attested),
  };
}

function writeAttested({
  from,
  source,
  transactions,
}: AttestedRange): MessageInitShape<typeof wire.AttestedRangeSchema> {
  return { fromSlot: BigInt(from), source, transactions: BigInt(transactions) };
}

function readAttested({ fromSlot, source, transactions }: wire.AttestedRange): AttestedRange {
  return { from: readSlot(fromSlot), source, transactions: Number(transactions) };
}

function readSlotEvents(slot: wire.SlotEvents): SlotEvents {
  return {
    ...readBlockLink(slot.block),
    blockTime: Number(slot.blockTime),
    blockHeight: nullable(slot.blockHeight, Number),
    isFirst: slot.isFirst,
    transactions: slot.transactions.map(readTransaction),
    trees: slot.trees.map(readTreeInfo),
    deadLetters: slot.deadLetters.map(readDeadLetter),
    signatures: nullable(slot.signatures, readSignatures),
    ...(slot.attested && { attested: readAttested(slot.attested) }),
  };
}

function readTransaction({ signature, index, events, json }: wire.Transaction): TransactionEvents {
  return { signature: readSignature(signature), index, events: events.map(readEvent), json };
}

function readDeadLetter({ signature, index, reasons, json }: wire.DeadLetter): DeadLetter {
  return { signature: nullable(signature, readSignature), index, reasons, json };
}
