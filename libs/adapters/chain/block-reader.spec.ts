import { join } from 'node:path';
import { MalformedBlockError } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { BlockReader } from './block-reader';
import { type BlockTextOptions, readBlock } from './read-block';
import { NoAnswerError, RpcAnswerError } from './rpc-answer';

const { accountCompression } = GENERATED_PROGRAMS;
const [{ slot, json: small }] = generateLedger({ seed: 41, slots: 1, transactionsPerSlot: 9 });
/** More than a thread needs to be worth it. */
const PADDING = ' '.repeat(600_000);
const large = small.replace(/}$/, `${PADDING}}`);

const OPTIONS: BlockTextOptions = { requestId: null, slot: null, signaturesFrom: 0 };
const RESPONSE = { ...OPTIONS, requestId: 7, slot: toSlot(slot) };
const responseOf = (members: string, id = 7) => `{"jsonrpc":"2.0","id":${id},${members}}`;

/** Lets threads load TypeScript. */
const execArgv = ['-r', join(__dirname, '../../../tools/register.cjs')];

describe('BlockReader', () => {
  const reader = new BlockReader({ accountCompression, threads: 2, execArgv });

  it.each([
    ['a small block', small, OPTIONS],
    ['a large block', large, OPTIONS],
    ['a large block without its signatures', large, { ...OPTIONS, signaturesFrom: slot + 1 }],
    ['a large response', responseOf(`"result":${large}`), RESPONSE],
    ['a large response for a skipped slot', responseOf(`"result":null${PADDING}`), RESPONSE],
  ])('reads %s', async (_, json, options) => {
    const expected = readBlock(Buffer.from(json), options, accountCompression);
    expect(await reader.read([Buffer.from(json)], options)).toEqual(expected);
  });

  it('keeps the transactions that may involve compression, with their index', async () => {
    const all = await new BlockReader({ accountCompression: null, threads: 1, execArgv }).read(
      [Buffer.from(large)],
      OPTIONS,
    );
    const kept = await reader.read([Buffer.from(large)], OPTIONS);
    expect(all?.transactions).toHaveLength(all?.transactionCount ?? 0);
    expect(kept?.transactions.length).toBeLessThan(all?.transactions.length ?? 0);
    expect(all?.transactions).toEqual(expect.arrayContaining(kept?.transactions ?? []));
    expect(kept).toEqual({ ...all, transactions: kept?.transactions });
  });

  it('reads several large blocks at once, of any sizes and in any parts', async () => {
    const expected = readBlock(Buffer.from(large), OPTIONS, accountCompression);
    const sizes = [3_000_000, 0, 1_000_000, 5_000_000, 0, 2_000_000, 0];
    for (let round = 0; round < 2; round++) {
      const texts = sizes.map((spaces) => cut(Buffer.from(' '.repeat(spaces) + large), 1 + round * 700));
      const reading = texts.map((parts) => reader.read(parts, OPTIONS));
      for (const part of texts.flat()) part.fill(0); // its owner uses it again
      for (const block of await Promise.all(reading)) expect(block).toEqual(expected);
    }
  });

  it.each([
    ['is truncated', large.slice(0, -1), OPTIONS, MalformedBlockError],
    ['has no transactions', large.replace('"transactions"', '"others"'), OPTIONS, MalformedBlockError],
    ['ends with another value', `${large}{}`, OPTIONS, MalformedBlockError],
    ['is an error', responseOf(`"error":{"code":-32007,"message":"skipped"${PADDING}}`), RESPONSE, RpcAnswerError],
    ['belongs to another request', responseOf(`"result":${large}`, 8), RESPONSE, NoAnswerError],
  ])('throws the same error for a large text that %s as for a small one', async (_, json, options, type) => {
    const read = () => readBlock(Buffer.from(json), options, accountCompression);
    expect(read).toThrow(type);
    const message = catchMessage(read);
    const reading = reader.read([Buffer.from(json)], options);
    await expect(reading).rejects.toThrow(type);
    await expect(reading).rejects.toThrow(message);
  });
});

/** Parts of equal length, but for the last one. */
function cut(text: Buffer, parts: number): Buffer[] {
  const size = Math.ceil(text.length / parts);
  return Array.from({ length: parts }, (_, part) => text.subarray(part * size, (part + 1) * size));
}

function catchMessage(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
