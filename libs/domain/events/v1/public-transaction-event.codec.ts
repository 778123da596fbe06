import { BorshReader, type Hash, MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { type PackedOutput, readPackedOutputs } from '../compressed-account.codec';
import { type TransitionEvent, type TreeSequence } from '../events';

/** The noop payload with which the light system program emits a transition of V1 trees. */
interface PublicTransactionEvent {
  inputHashes: Hash[];
  outputHashes: Hash[];
  outputs: PackedOutput[];
  outputLeafIndices: number[];
  sequenceNumbers: TreeSequence[];
  /** The accounts that the tree indices of outputs refer to. */
  pubkeys: Pubkey[];
  ataOwners: { outputIndex: number; wallet: Pubkey }[];
}

/**
 * Decodes the payload of a V1 transition.
 *
 * The current form has the owners of associated token accounts and must use every byte. Any other payload is decoded as
 * the older form without them.
 *
 * @throws MalformedBytesError if the payload has neither form
 */
export function decodePublicTransactionEvent(payload: Buffer): TransitionEvent {
  return toTransition(readCurrentForm(payload) ?? readFields(new BorshReader(payload)));
}

function readCurrentForm(payload: Buffer): PublicTransactionEvent | null {
  const input = new BorshReader(payload);
  const event = readFields(input);
  if (input.remaining === 0) return null;
  try {
    const ataOwners = input.vector(33, () => ({ outputIndex: input.u8(), wallet: input.pubkey() }));
    return input.remaining === 0 ? { ...event, ataOwners } : null;
  } catch (error) {
    if (error instanceof MalformedBytesError) return null;
    throw error;
  }
}

function readFields(input: BorshReader): PublicTransactionEvent {
  const inputHashes = input.vector(32, () => input.hash());
  const outputHashes = input.vector(32, () => input.hash());
  const outputs = readPackedOutputs(input);
  const outputLeafIndices = input.vector(4, () => input.u32());
  const sequenceNumbers = input.vector(40, () => ({ tree: input.pubkey(), seq: input.u64() }));
  input.option(() => input.u64()); // relay fee
  input.bool(); // is compress
  input.option(() => input.u64()); // lamports compressed or decompressed
  const pubkeys = input.vector(32, () => input.pubkey());
  input.option(() => input.byteVector()); // message
  return { inputHashes, outputHashes, outputs, outputLeafIndices, sequenceNumbers, pubkeys, ataOwners: [] };
}

function toTransition(event: PublicTransactionEvent): TransitionEvent {
  const { inputHashes, outputHashes, outputs, outputLeafIndices, sequenceNumbers, pubkeys, ataOwners } = event;
  if (outputs.length !== outputHashes.length || outputs.length !== outputLeafIndices.length) {
    throw new MalformedBytesError(
      `${outputHashes.length} output hashes, ${outputs.length} outputs, ${outputLeafIndices.length} leaf indices`,
    );
  }
  return {
    kind: 'transition',
    format: 1,
    inputs: inputHashes.map((hash) => ({ hash, nullification: null })),
    outputs: outputs.map(({ body, treeIndex }, position) => {
      if (treeIndex >= pubkeys.length) throw new MalformedBytesError(`tree ${treeIndex} of ${pubkeys.length}`);
      return {
        hash: outputHashes[position],
        leafIndex: outputLeafIndices[position],
        treeAccount: pubkeys[treeIndex],
        body,
        ataOwner: ataOwners.findLast(({ outputIndex }) => outputIndex === position)?.wallet ?? null,
      };
    }),
    newAddresses: [],
    sequenceNumbers,
  };
}
