import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type AtaOwner } from '../facts';
import { BorshWriter } from './borsh-writer';
import { type PackedOutput, writeOutput } from './packed-account';

/** The event that the light system program sends to the noop program for a transition in V1 trees. */
export interface PublicTransactionEvent {
  inputHashes: readonly Hash[];
  outputHashes: readonly Hash[];
  outputs: readonly PackedOutput[];
  leafIndices: readonly number[];
  /** For each output tree, the sequence number of its first leaf. */
  sequenceNumbers: readonly { tree: Pubkey; seq: bigint }[];
  isCompress: boolean;
  /** Lamports that are compressed or decompressed; null for none. */
  lamports: bigint | null;
  /** The accounts that the tree indices of the outputs refer to. */
  pubkeys: readonly Pubkey[];
  message: Buffer | null;
  /** Last field of the newer event format; null writes the older format without it. */
  ataOwners: readonly AtaOwner[] | null;
}

/**
 * ```
 * input hashes | output hashes | outputs | leaf indices | sequence numbers | relay fee option (none)
 *   | is compress bool | lamports option | pubkeys | message option [ | ATA owners ]
 * ```
 */
export function encodePublicTransactionEvent(event: PublicTransactionEvent): Buffer {
  const writer = new BorshWriter();
  writer.vector(event.inputHashes, (hash) => writer.fixed(hash));
  writer.vector(event.outputHashes, (hash) => writer.fixed(hash));
  writer.vector(event.outputs, (output) => {
    writeOutput(writer, output);
  });
  writer.vector(event.leafIndices, (leafIndex) => writer.u32(leafIndex));
  writer.vector(event.sequenceNumbers, ({ tree, seq }) => writer.fixed(tree).u64(seq));
  writer.option(null, () => undefined).bool(event.isCompress);
  writer.option(event.lamports, (lamports) => writer.u64(lamports));
  writer.vector(event.pubkeys, (pubkey) => writer.fixed(pubkey));
  writer.option(event.message, (message) => writer.byteVector(message));
  if (event.ataOwners) {
    writer.vector(event.ataOwners, ({ outputIndex, wallet }) => writer.u8(outputIndex).fixed(wallet));
  }
  return writer.toBuffer();
}
