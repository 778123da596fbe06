import { type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { type Instruction } from '../instruction-groups';
import { readAtaOwners } from './transfer2.codec';

const accounts = Array.from({ length: 12 }, (_, seed) => Buffer.alloc(32, seed) as Pubkey);

function transfer2(hex: string): Instruction {
  return { programId: ZERO_PUBKEY, accounts, data: Buffer.from(hex.replace(/\s/g, ''), 'hex'), stackHeight: 2 };
}

/** type 31 | delegated u64 | fee u64 | frozen | compression | is ATA | bump | owner */
const compressedOnly = (isAta: string, owner: string) => `1f ${'00'.repeat(16)} 00 00 ${isAta} ff ${owner}`;

/** All parts are present and not empty. */
const FULL = `
  65 0001 000102 0500 01 0100
  01 01000000 ${'aa'.repeat(16)}
  01 ${'bb'.repeat(128)}
  01000000 ${'cc'.repeat(22)}
  02000000 ${'dd'.repeat(13)} ${'dd'.repeat(13)}
  01 01000000 ${'00'.repeat(8)} 00
  01 01000000 01000000 05
  01 03000000
     01000000 ${compressedOnly('01', '02')}
     00000000
     02000000 ${compressedOnly('00', '01')} ${compressedOnly('01', '03')}`;

describe('readAtaOwners', () => {
  it('returns the wallet of each output that has one', () => {
    expect(readAtaOwners(transfer2(FULL))).toEqual(
      new Map([
        [0, accounts[9]],
        [2, accounts[10]],
      ]),
    );
  });

  it('returns none if the instruction cannot be parsed, or an index is out of range', () => {
    expect(readAtaOwners(transfer2(FULL.slice(0, 700)))).toEqual(new Map());
    expect(readAtaOwners(transfer2(FULL.replace('01000000 05', '01000000 13')))).toEqual(new Map());
    expect(readAtaOwners(transfer2(FULL.replaceAll('ff 02', 'ff 63').replaceAll('ff 03', 'ff 63')))).toEqual(new Map());
  });
});
