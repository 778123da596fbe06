import { parseNullifierQueue, parseOutputQueueEnd } from './queue-account.codec';

/** A queue account with cells of a tag and a byte that fills the hash. */
function queueAccount(type: bigint, ...cells: [bigint, number][]): Buffer {
  const data = Buffer.alloc(256 + 48 * cells.length);
  data.set(Buffer.from('a4c86c3e573f7b41', 'hex'));
  data.writeBigUInt64LE(type, 224);
  data.writeBigUInt64LE(BigInt(cells.length), 232);
  for (const [at, [tag, fill]] of cells.entries()) {
    data.writeBigUInt64LE(tag, 256 + 48 * at);
    data.fill(fill, 256 + 48 * at + 16, 256 + 48 * (at + 1));
  }
  return data;
}

describe('a nullifier queue', () => {
  it('has the accounts that are not nullified yet', () => {
    const data = queueAccount(1n, [2n, 0], [0n, 7], [1n, 8], [0n, 9]);
    expect(parseNullifierQueue(data)).toEqual([Buffer.alloc(32, 7), Buffer.alloc(32, 9)]);
    expect(parseNullifierQueue(queueAccount(1n))).toEqual([]);
  });

  it('is not an address queue, nor any other account', () => {
    expect(parseNullifierQueue(queueAccount(2n, [0n, 7]))).toBeNull();
    expect(parseNullifierQueue(Buffer.alloc(1_000))).toBeNull();
    expect(parseNullifierQueue(queueAccount(1n).subarray(0, 20))).toBeNull();
  });

  it('is refused if it is not whole', () => {
    expect(() => parseNullifierQueue(queueAccount(1n, [0n, 7]).subarray(0, 290))).toThrow('1 cells has only 290 bytes');
  });
});

describe('an output queue', () => {
  it('has the position of the next leaf', () => {
    const data = Buffer.alloc(600);
    data.write('queueacc', 'latin1');
    data.writeBigUInt64LE(77n, 280);
    expect(parseOutputQueueEnd(data)).toBe(77n);
    expect(parseOutputQueueEnd(data.subarray(0, 284))).toBeNull();
    expect(parseOutputQueueEnd(queueAccount(1n))).toBeNull();
  });
});
