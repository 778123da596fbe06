import { createHash } from 'node:crypto';
import { COMPRESSION_INSTRUCTIONS, REGISTRY_NULLIFY, SYSTEM_INSTRUCTIONS } from './discriminators';

/** Anchor hashes the name that the instruction has in the source of its program. */
function discriminatorOf(key: string): Buffer {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
}

it.each(Object.entries({ ...COMPRESSION_INSTRUCTIONS, ...SYSTEM_INSTRUCTIONS, nullify: REGISTRY_NULLIFY }))(
  'the discriminator of %s is the hash of its name',
  (key, discriminator) => {
    expect(discriminator).toEqual(discriminatorOf(key));
  },
);
