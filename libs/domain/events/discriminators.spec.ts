import { createHash } from 'node:crypto';
import { COMPRESSION_INSTRUCTIONS, DISCRIMINATOR_BYTES, SYSTEM_INSTRUCTIONS } from './discriminators';

/** Anchor hashes the name that the instruction has in the source of its program. */
function discriminatorOf(key: string): Buffer {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, DISCRIMINATOR_BYTES);
}

it.each(Object.entries({ ...COMPRESSION_INSTRUCTIONS, ...SYSTEM_INSTRUCTIONS }))(
  'libs/domain/events/discriminators.ts has the hash of the name %s',
  (key, discriminator) => {
    expect(discriminator).toEqual(discriminatorOf(key));
  },
);
