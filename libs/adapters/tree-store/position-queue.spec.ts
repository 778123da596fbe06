import { be32, type Hash, HASH_BYTES } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { AddressQueue } from './position-queue';

/** Positions of a queue, and positions after a gap as large as in a recording. */
const anyPosition = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(2n ** 60n, 2n ** 60n + 9n));
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), position: anyPosition }),
  fc.record({ kind: fc.constantFrom('removeBefore' as const, 'removeFrom' as const), position: anyPosition }),
);
const addressAt = (position: bigint) => be32(Number(position % 1_000n));

describe('AddressQueue', () => {
  it('shares no memory with what an address was read from', () => {
    const queue = new AddressQueue();
    const message = Buffer.alloc(8_192, 7);
    const hashAt = (at: number) => message.subarray(at, at + HASH_BYTES) as Hash;
    for (let position = 0n; position < 300n; position++) queue.put(position, hashAt(Number(position)));
    message.fill(0);
    const kept = [...queue.read(0n, 300n).values()];
    expect(kept).toEqual(Array.from({ length: 300 }, () => Buffer.alloc(HASH_BYTES, 7)));
    expect(kept.every(({ buffer }) => buffer.byteLength === HASH_BYTES)).toBe(true);
  });

  it('has the same addresses as a map, after any changes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const queue = new AddressQueue();
        const expected = new Set<bigint>();
        for (const { kind, position } of steps) {
          if (kind === 'put') {
            queue.put(position, addressAt(position));
            expected.add(position);
            continue;
          }
          queue[kind](position);
          for (const each of expected) {
            if (kind === 'removeBefore' ? each < position : each >= position) expected.delete(each);
          }
        }
        for (const position of steps.flatMap(({ position }) => [position, position + 1n])) {
          const address = addressAt(position);
          const isQueued = expected.has(position);
          expect([queue.find(position), queue.has(address)]).toEqual([isQueued ? address : undefined, isQueued]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
