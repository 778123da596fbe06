import { MalformedBytesError, type Pubkey } from '@fresnel/domain/primitives';
import { fuzz, hostileBytes } from '@fresnel/testing/generic';
import { decodeSplTokenAccount, encodeSplTokenAccount, toSplTokenAccount } from './spl-token-account.codec';
import { decodeTokenData, encodeTokenData, type TokenData } from './token-data.codec';

const key = (byte: number) => Buffer.alloc(32, byte) as Pubkey;
/** `CompressedOnly` after an extension of another type. */
const TLV = Buffer.concat([Buffer.from('020000001d', 'hex'), Buffer.alloc(8), Buffer.of(31), Buffer.alloc(17, 5)]);
const TOKENS: TokenData[] = [
  { mint: key(1), owner: key(2), amount: 10n, delegate: null, state: 'initialized', tlv: null },
  { mint: key(1), owner: key(2), amount: 2n ** 64n - 1n, delegate: key(3), state: 'frozen', tlv: TLV },
];

describe('decodeTokenData', () => {
  it('gives data that are encoded to the same, or throws MalformedBytesError, for any bytes', () => {
    fuzz(
      hostileBytes(TOKENS.map(encodeTokenData)),
      (bytes) => {
        const token = decodeTokenData(bytes);
        expect(decodeTokenData(encodeTokenData(token))).toEqual(token);
        const account = toSplTokenAccount(token);
        expect(decodeSplTokenAccount(encodeSplTokenAccount(account))).toEqual(account);
      },
      { throws: [MalformedBytesError] },
    );
  });
});

describe('decodeSplTokenAccount', () => {
  it('gives an account that is encoded to the same, or null, for any bytes', () => {
    fuzz(hostileBytes(TOKENS.map((token) => encodeSplTokenAccount(toSplTokenAccount(token)))), (bytes) => {
      const account = decodeSplTokenAccount(bytes);
      if (account) expect(decodeSplTokenAccount(encodeSplTokenAccount(account, bytes))).toEqual(account);
    });
  });
});
