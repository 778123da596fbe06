import { type Hash, SIGNATURE_BYTES, type Signature, toSignature } from '@fresnel/domain/primitives';
import { type Random } from '../random';
import { type TransactionDraft } from './draft';
import { encodeTransaction, type TransactionVersion } from './encode-transaction';
import { writeMembers } from './json';
import { type MessageKeys, messageKeys } from './message-keys';
import { metaOf } from './meta';

/** A transaction as a block holds it. */
export interface SealedTransaction {
  signature: Signature;
  /** JSON members without braces: `"transaction":[…],"meta":{…},"version":…`. */
  members: string;
}

interface Form {
  version: TransactionVersion;
  withLookups: boolean;
}

const LEGACY: Form = { version: 'legacy', withLookups: false };
const VERSION_0: Form = { version: 0, withLookups: false };
const VERSION_0_WITH_LOOKUPS: Form = { version: 0, withLookups: true };
const VERSION_1: Form = { version: 1, withLookups: false };

/** How often a transaction tries each form first, out of ten. */
const FORMS = [
  ...Array<Form>(4).fill(LEGACY),
  ...Array<Form>(1).fill(VERSION_0),
  ...Array<Form>(3).fill(VERSION_0_WITH_LOOKUPS),
  ...Array<Form>(2).fill(VERSION_1),
];

/** What the network carries of each version. */
const MAX_BYTES: Record<TransactionVersion, number> = { legacy: 1232, 0: 1232, 1: 4096 };
const VERSION_1_MAX_KEYS = 64;

/** Gives a draft a form, signatures and a result. The signatures are random bytes; nobody here checks them. */
export function sealTransaction(draft: TransactionDraft, recentBlockhash: Hash, random: Random): SealedTransaction {
  const { form, keys, wire } = encodeFitting(draft, recentBlockhash, random);
  const members = writeMembers({
    transaction: [wire.bytes.toString('base64'), 'base64'],
    meta: metaOf(draft, keys, random),
    version: form.version,
  });
  return { signature: wire.signature, members };
}

/** The first form in random order that has room for the draft; version 1, which has most, if none has. */
function encodeFitting(draft: TransactionDraft, recentBlockhash: Hash, random: Random) {
  const inline = messageKeys(draft, false);
  const signatures = Array.from({ length: inline.header[0] }, () => toSignature(random.bytes(SIGNATURE_BYTES)));
  const encode = (form: Form) => {
    const keys = form.withLookups ? messageKeys(draft, true) : inline;
    const bytes = encodeTransaction({ signatures, recentBlockhash, calls: draft.calls, keys }, form.version);
    return { form, keys, wire: { bytes, signature: signatures[0] } };
  };
  for (const form of random.sample(FORMS, FORMS.length)) {
    const encoded = encode(form);
    if (fits(form.version, encoded.keys, encoded.wire.bytes)) return encoded;
  }
  return encode(VERSION_1);
}

function fits(version: TransactionVersion, { statics }: MessageKeys, wire: Buffer): boolean {
  return wire.length <= MAX_BYTES[version] && (version !== 1 || statics.length <= VERSION_1_MAX_KEYS);
}
