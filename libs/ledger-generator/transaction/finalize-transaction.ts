import { type Hash, SIGNATURE_BYTES, type Signature, toSignature } from '@fresnel/domain/primitives';
import { type Random } from '../random';
import { type TransactionDraft } from './transaction-draft';
import { encodeTransaction, type TransactionVersion } from './encode-transaction';
import { writeMembers } from './json';
import { type MessageKeys, messageKeys } from './message-keys';
import { metaOf } from './meta';

/** A transaction as a block contains it. */
export interface FinalizedTransaction {
  signature: Signature;
  /** JSON members without braces: `"transaction":[…],"meta":{…},"version":…`. */
  members: string;
}

interface Encoding {
  version: TransactionVersion;
  withLookups: boolean;
}

const LEGACY: Encoding = { version: 'legacy', withLookups: false };
const VERSION_0: Encoding = { version: 0, withLookups: false };
const VERSION_0_WITH_LOOKUPS: Encoding = { version: 0, withLookups: true };
const VERSION_1: Encoding = { version: 1, withLookups: false };

/** Ten encodings: each transaction tries them in random order. */
const ENCODINGS = [
  ...Array<Encoding>(4).fill(LEGACY),
  ...Array<Encoding>(1).fill(VERSION_0),
  ...Array<Encoding>(3).fill(VERSION_0_WITH_LOOKUPS),
  ...Array<Encoding>(2).fill(VERSION_1),
];

/** Largest transaction of each version. */
const MAX_BYTES: Record<TransactionVersion, number> = { legacy: 1232, 0: 1232, 1: 4096 };
const VERSION_1_MAX_KEYS = 64;

/** Adds version, signatures and metadata to a draft. The signatures are random bytes, which do not verify. */
export function finalizeTransaction(
  draft: TransactionDraft,
  recentBlockhash: Hash,
  random: Random,
): FinalizedTransaction {
  const { version, keys, wire } = encodeFitting(draft, recentBlockhash, random);
  const members = writeMembers({
    transaction: [wire.bytes.toString('base64'), 'base64'],
    meta: metaOf(draft, keys, random),
    version,
  });
  return { signature: wire.signature, members };
}

/** The first encoding, in random order, in which the draft fits; version 1, the largest, if it fits in none. */
function encodeFitting(draft: TransactionDraft, recentBlockhash: Hash, random: Random) {
  const allStatic = messageKeys(draft, false);
  const signatures = Array.from({ length: allStatic.header[0] }, () => toSignature(random.bytes(SIGNATURE_BYTES)));
  const encode = ({ version, withLookups }: Encoding) => {
    const keys = withLookups ? messageKeys(draft, true) : allStatic;
    const bytes = encodeTransaction({ signatures, recentBlockhash, instructions: draft.instructions, keys }, version);
    return { version, keys, wire: { bytes, signature: signatures[0] } };
  };
  for (const encoding of random.sample(ENCODINGS, ENCODINGS.length)) {
    const encoded = encode(encoding);
    if (fits(encoding.version, encoded.keys, encoded.wire.bytes)) return encoded;
  }
  return encode(VERSION_1);
}

function fits(version: TransactionVersion, { statics }: MessageKeys, wire: Buffer): boolean {
  return wire.length <= MAX_BYTES[version] && (version !== 1 || statics.length <= VERSION_1_MAX_KEYS);
}
