import { create, toBinary } from '@bufbuild/protobuf';
import { LIVE_PROGRAMS, MalformedBlockError } from '@fresnel/domain/events';
import { toBase58 } from '@fresnel/domain/primitives';
import { blockhashAt } from '@fresnel/testing/chain';
import { fuzz, hostileBytes, hostileText } from '@fresnel/testing/generic';
import { type Update, UpdateSchema } from '../generated/geyser-subset_pb';
import { parseBlockFrame } from './block-frame.codec';
import { decodeUpdate, GeyserEndpointError, parseGeyserUrl } from './geyser-client';

const { accountCompression, lightSystem } = LIVE_PROGRAMS;

const TRANSACTION = {
  transaction: {
    message: {
      accountKeys: [lightSystem],
      addressTableLookups: [{ writableIndexes: Buffer.alloc(1), readonlyIndexes: Buffer.alloc(0) }],
    },
  },
  meta: { loadedWritableAddresses: [accountCompression], loadedReadonlyAddresses: [] },
};

const UPDATE = create(UpdateSchema, {
  updateOneof: {
    case: 'block',
    value: {
      slot: 1002n,
      blockhash: toBase58(blockhashAt(1002)),
      parentSlot: 1000n,
      parentBlockhash: toBase58(blockhashAt(1000)),
      blockTime: { timestamp: 1_700_000_000n },
      blockHeight: { blockHeight: 900n },
      executedTransactionCount: 2n,
      transactions: [TRANSACTION, TRANSACTION],
    },
  },
});

/** gRPC ends a stream with a message that its decoder rejects, with any error. */
function decodeOrNull(bytes: Buffer): Update | null {
  try {
    return decodeUpdate(bytes);
  } catch {
    return null;
  }
}

describe('a message of the stream', () => {
  it('is a block, another update, or rejected with MalformedBlockError', () => {
    fuzz(
      hostileBytes([Buffer.from(toBinary(UpdateSchema, UPDATE))]),
      (bytes) => {
        const update = decodeOrNull(bytes)?.updateOneof;
        if (update?.case !== 'block') return;
        for (const isFiltered of [false, true]) parseBlockFrame(update.value, accountCompression, isFiltered);
      },
      { throws: [MalformedBlockError] },
    );
  });
});

describe('the URL of a stream', () => {
  it('is read, or rejected with GeyserEndpointError', () => {
    fuzz(hostileText(['https://yellowstone.example:443/', 'http://[::1]:10000']), parseGeyserUrl, {
      throws: [GeyserEndpointError],
    });
  });
});
