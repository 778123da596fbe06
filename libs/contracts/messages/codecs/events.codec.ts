import { type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccountBody,
  type BatchEvent,
  type CompressionEvent,
  type InputAccount,
  type NewAddress,
  type OutputAccount,
  type TransitionEvent,
} from '@fresnel/domain/events';
import { MalformedBytesError } from '@fresnel/domain/primitives';
import type * as wire from '../generated/slot-events.v1_pb';
import { readElementUpdate, writeElementUpdate } from './common.codec';
import { nullable, readBytes, readHash, readPubkey, unknownKind } from './fields';

type Init<Name extends 'Event' | 'Transition' | 'Batch' | 'InputAccount' | 'OutputAccount'> = MessageInitShape<
  (typeof wire)[`${Name}Schema`]
>;

export function writeEvent(event: CompressionEvent): Init<'Event'> {
  switch (event.kind) {
    case 'transition':
      return { kind: { case: 'transition', value: writeTransition(event) } };
    case 'leaves-nullified': {
      const { tree, leafIndices, seq } = event;
      return { kind: { case: 'leavesNullified', value: { tree, leafIndices, seq } } };
    }
    case 'leaf-migrated': {
      const { queue, hash } = event;
      return { kind: { case: 'leafMigrated', value: { queue, hash } } };
    }
    case 'addresses-inserted': {
      const { tree, updates, seq } = event;
      return { kind: { case: 'addressesInserted', value: { tree, updates: updates.map(writeElementUpdate), seq } } };
    }
    case 'batch-append':
      return { kind: { case: 'batchAppend', value: writeBatch(event) } };
    case 'batch-nullify':
      return { kind: { case: 'batchNullify', value: writeBatch(event) } };
    case 'batch-address-append':
      return { kind: { case: 'batchAddressAppend', value: writeBatch(event) } };
  }
}

export function readEvent({ kind }: wire.Event): CompressionEvent {
  switch (kind.case) {
    case 'transition':
      return readTransition(kind.value);
    case 'leavesNullified': {
      const { tree, leafIndices, seq } = kind.value;
      return { kind: 'leaves-nullified', tree: readPubkey(tree), leafIndices, seq };
    }
    case 'leafMigrated':
      return { kind: 'leaf-migrated', queue: readPubkey(kind.value.queue), hash: readHash(kind.value.hash) };
    case 'addressesInserted': {
      const { tree, updates, seq } = kind.value;
      return { kind: 'addresses-inserted', tree: readPubkey(tree), updates: updates.map(readElementUpdate), seq };
    }
    case 'batchAppend':
      return readBatch('batch-append', kind.value);
    case 'batchNullify':
      return readBatch('batch-nullify', kind.value);
    case 'batchAddressAppend':
      return readBatch('batch-address-append', kind.value);
    case undefined:
      throw unknownKind('event');
  }
}

function writeTransition({
  format,
  inputs,
  outputs,
  newAddresses,
  sequenceNumbers,
}: TransitionEvent): Init<'Transition'> {
  return {
    format,
    inputs: inputs.map(({ hash, nullification }): Init<'InputAccount'> => ({
      hash,
      nullification: nullification ?? undefined,
    })),
    outputs: outputs.map(writeOutput),
    newAddresses: newAddresses.map(({ address, tree, queueIndex }) => ({
      address,
      tree,
      queueIndex: queueIndex ?? undefined,
    })),
    sequenceNumbers,
  };
}

function readTransition({ format, inputs, outputs, newAddresses, sequenceNumbers }: wire.Transition): TransitionEvent {
  if (format !== 1 && format !== 2) throw new MalformedBytesError(`a transition of format ${format}`);
  return {
    kind: 'transition',
    format,
    inputs: inputs.map(readInput),
    outputs: outputs.map(readOutput),
    newAddresses: newAddresses.map(readNewAddress),
    sequenceNumbers: sequenceNumbers.map(({ tree, seq }) => ({ tree: readPubkey(tree), seq })),
  };
}

function readInput({ hash, nullification }: wire.InputAccount): InputAccount {
  return {
    hash: readHash(hash),
    nullification: nullable(nullification, ({ tree, leafIndex, queueIndex, txHash }) => ({
      tree: readPubkey(tree),
      leafIndex,
      queueIndex,
      txHash: readHash(txHash),
    })),
  };
}

function writeOutput({ hash, leafIndex, treeAccount, body, ataOwner }: OutputAccount): Init<'OutputAccount'> {
  return {
    hash,
    leafIndex,
    treeAccount,
    body: body
      ? {
          owner: body.owner,
          lamports: body.lamports,
          address: body.address ?? undefined,
          data: body.data ?? undefined,
        }
      : undefined,
    ataOwner: ataOwner ?? undefined,
  };
}

function readOutput({ hash, leafIndex, treeAccount, body, ataOwner }: wire.OutputAccount): OutputAccount {
  return {
    hash: readHash(hash),
    leafIndex,
    treeAccount: readPubkey(treeAccount),
    body: nullable(body, readBody),
    ataOwner: nullable(ataOwner, readPubkey),
  };
}

function readBody({ owner, lamports, address, data }: wire.AccountBody): AccountBody {
  return {
    owner: readPubkey(owner),
    lamports,
    address: nullable(address, readHash),
    data: nullable(data, ({ discriminator, bytes, dataHash }) => ({
      discriminator: readBytes(discriminator),
      bytes: readBytes(bytes),
      dataHash: readHash(dataHash),
    })),
  };
}

function readNewAddress({ address, tree, queueIndex }: wire.NewAddress): NewAddress {
  return { address: readHash(address), tree: readPubkey(tree), queueIndex: queueIndex ?? null };
}

function writeBatch({ outputQueue, ...batch }: BatchEvent): Init<'Batch'> {
  const { tree, batchIndex, zkpBatchIndex, zkpBatchSize, oldNextIndex, newNextIndex, newRoot, rootIndex, seq } = batch;
  return {
    tree,
    batchIndex,
    zkpBatchIndex,
    zkpBatchSize,
    oldNextIndex,
    newNextIndex,
    newRoot,
    rootIndex,
    seq,
    outputQueue: outputQueue ?? undefined,
  };
}

function readBatch(kind: BatchEvent['kind'], batch: wire.Batch): BatchEvent {
  const { batchIndex, zkpBatchIndex, zkpBatchSize, oldNextIndex, newNextIndex, rootIndex, seq } = batch;
  return {
    kind,
    tree: readPubkey(batch.tree),
    batchIndex,
    zkpBatchIndex,
    zkpBatchSize,
    oldNextIndex,
    newNextIndex,
    newRoot: readHash(batch.newRoot),
    rootIndex,
    seq,
    outputQueue: nullable(batch.outputQueue, readPubkey),
  };
}
