import { toBase58 } from '@fresnel/domain/primitives';
import { fuzz, hostileBytes, hostileJson, hostileText } from '@fresnel/testing/generic';
import { CONTRACTS } from '../contracts';
import {
  encodeAccountCursor,
  encodeHolderCursor,
  encodeMintCursor,
  encodeSignatureCursor,
  encodeTokenAccountCursor,
  readAccountCursor,
  readHolderCursor,
  readMintCursor,
  readSignatureCursor,
  readTokenAccountCursor,
} from './cursors';
import { InvalidParamsError } from './invalid-params.error';
import { encodePushCursor, readPushCursor } from './push-cursor';
import { toHash, toPubkey, toSignature } from '@fresnel/domain/primitives';

const throws = [InvalidParamsError];
const [HASH, OWNER] = [toHash(Buffer.alloc(32, 7)), toPubkey(Buffer.alloc(32, 9))];

const PUSH_CURSOR = encodePushCursor({ slot: 5, blockhash: HASH, revision: 6, indexId: Buffer.alloc(16, 1) });

/** Params that the examples do not show. */
const MORE_PARAMS: Partial<Record<keyof typeof CONTRACTS, object[]>> = {
  compressionSubscribe: [[{ owners: [toBase58(OWNER)], trees: [toBase58(OWNER)] }, { from: PUSH_CURSOR }]],
  getQueueElements: [{ tree: toBase58(OWNER), inputQueue: { limit: 3, startIndex: 4, zkpBatchSize: 5 } }],
};

describe('the params of a method', () => {
  it.each(Object.values(CONTRACTS).map((contract) => [contract.name, contract] as const))(
    'are read or rejected with InvalidParamsError: %s',
    (name, { parseParams, example }) => {
      const samples = [example.params ?? null, ...(MORE_PARAMS[name as keyof typeof CONTRACTS] ?? [])];
      const read = (json: string) => {
        const params = parseOrNull(json);
        if (params) parseParams(params.value);
      };
      fuzz(hostileJson(samples.map((sample) => JSON.stringify(sample))), read, { throws, runs: 60 });
    },
  );
});

function parseOrNull(json: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return null;
  }
}

describe('a cursor', () => {
  it.each<[string, string, (text: string) => string]>([
    [
      'of signatures',
      encodeSignatureCursor({ slot: 5, signature: toSignature(Buffer.alloc(64, 3)) }),
      (text) => {
        const { slot, signature } = readSignatureCursor(text, 'cursor');
        return slot > Number.MAX_SAFE_INTEGER ? text : encodeSignatureCursor({ slot: Number(slot), signature });
      },
    ],
    [
      'of accounts',
      encodeAccountCursor({ leafIndex: 5, hash: HASH }),
      (text) => {
        const { leafIndex, hash } = readAccountCursor(text, 'cursor');
        return leafIndex > Number.MAX_SAFE_INTEGER ? text : encodeAccountCursor({ leafIndex: Number(leafIndex), hash });
      },
    ],
    [
      'of holders',
      encodeHolderCursor({ balance: 5n, owner: OWNER }),
      (text) => encodeHolderCursor(readHolderCursor(text, 'cursor')),
    ],
    [
      'of token accounts',
      encodeTokenAccountCursor({ mint: OWNER, hash: HASH }),
      (text) => encodeTokenAccountCursor(readTokenAccountCursor(text, 'cursor')),
    ],
    [
      'of mints',
      encodeMintCursor({ mint: OWNER }),
      (text) => encodeMintCursor({ mint: readMintCursor(text, 'cursor') }),
    ],
    ['of pushed slots', PUSH_CURSOR, (text) => encodePushCursor(readPushCursor(text, 'cursor'))],
  ])('%s is encoded to the same, or rejected with InvalidParamsError', (_, sample, readAndEncode) => {
    const check = (text: string) => {
      expect(readAndEncode(text)).toBe(text);
    };
    fuzz(hostileText([sample]), check, { throws });
    const length = sample.length; // bytes of about the right length
    fuzz(
      hostileBytes([Buffer.alloc(Math.floor(length * 0.73), 1), Buffer.alloc(Math.ceil(length * 0.73), 255)]),
      (bytes) => {
        check(toBase58(bytes));
      },
      { throws },
    );
  });
});
