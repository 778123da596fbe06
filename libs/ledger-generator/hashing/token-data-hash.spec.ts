import { parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { encodeTokenData } from '../encode/token-data';
import { type TokenData } from '../facts';
import { hashTokenData } from './token-data-hash';

const recordedV1: TokenData = {
  mint: parsePubkey('2U35cKS3Cj2xs5EBdByXYU7LaKAitqjSZc1Jnvu4iPf4'),
  owner: parsePubkey('EU57rQxcmFhJ24ApVdUy3y4MxFXcTUN3uiVeWvGgtWXu'),
  amount: 1000n,
  delegate: null,
  isFrozen: false,
  extensions: null,
};

const RECORDED_V3_BYTES =
  '990ab4fce69dda57e743851539dfd486fe1e06c728f4a5dcd14c4f6e00d6a78a' +
  '063accd3072b5563d24c28224124ef64051a862e44987b3f887cf838060262fc' +
  '64000000000000000000' +
  '01010000001f0000000000000000000000000000000001';

const recordedV3: TokenData = {
  ...recordedV1,
  mint: Buffer.from(RECORDED_V3_BYTES.slice(0, 64), 'hex') as TokenData['mint'],
  owner: Buffer.from(RECORDED_V3_BYTES.slice(64, 128), 'hex') as TokenData['owner'],
  amount: 100n,
  extensions: Buffer.from('010000001f0000000000000000000000000000000001', 'hex'),
};

const hashOf = (token: TokenData, scheme: Parameters<typeof hashTokenData>[2]) =>
  hashTokenData(token, encodeTokenData(token, 'tagged'), scheme);

describe('encodeTokenData', () => {
  it('writes a recorded token account', () => {
    expect(encodeTokenData(recordedV1, 'tagged').toString('hex')).toBe(
      '15c8b853d40e095a1e48936ee76b904c74d990dfa31a1e46e55ab248bcd4768f' +
        'c81744ae00053ff16d89c10f5ea0aef29fb8ba3bf771eda5df9a76819b02189c' +
        'e803000000000000000000',
    );
  });

  it('writes extensions', () => {
    expect(encodeTokenData(recordedV3, 'tagged').toString('hex')).toBe(RECORDED_V3_BYTES);
  });

  it('can omit the extensions tag', () => {
    expect(encodeTokenData(recordedV1, 'none')).toHaveLength(74);
  });
});

describe('hashTokenData', () => {
  it('hashes a recorded account of a V1 tree', () => {
    expect(toBase58(hashOf(recordedV1, 'poseidon-le'))).toBe('4D9BW6ThazKaSy7U91cnSWF9E9pCtTFkomd25Pt6CL7k');
  });

  it('hashes the bytes of version 3', () => {
    const expected = '0000688d705c2f1d40f053293fd998e2dd6bf5936bea7b12b26ccff58e2b1c18';
    expect(hashOf(recordedV3, 'sha-flat').toString('hex')).toBe(expected);
  });

  it('depends on byte order, delegate and state', () => {
    const delegate = recordedV1.mint;
    const hashes = [
      hashOf(recordedV1, 'poseidon-le'),
      hashOf(recordedV1, 'poseidon-be'),
      hashOf({ ...recordedV1, delegate }, 'poseidon-be'),
      hashOf({ ...recordedV1, isFrozen: true }, 'poseidon-be'),
    ];
    expect(new Set(hashes.map(toBase58)).size).toBe(hashes.length);
  });
});
