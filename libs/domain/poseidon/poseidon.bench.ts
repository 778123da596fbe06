import { WasmFactory } from '@lightprotocol/hasher.rs';
import { poseidonHex } from '@railgun-community/poseidon-hash-wasm';
import { type Bench } from '@fresnel/testing/generic';
import { createHash } from 'node:crypto';
import { poseidon, poseidonBatch } from './poseidon';
import { WasmModule } from './wasm-module';

const GROUPS = 512;

/** Field elements with 253 random bits. */
function elementsOf(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const bytes = createHash('sha256').update(String(i)).digest();
    bytes[0] &= 0x1f;
    return bytes;
  });
}

function benchOf(arity: number): Bench {
  return {
    title: `Poseidon of ${arity} inputs`,
    data: `${GROUPS} groups of ${arity} field elements, from and to bytes`,
    unit: 'hashes',
    prepare: async () => {
      const groups = Array.from({ length: GROUPS }, (_, i) =>
        elementsOf(GROUPS * arity).slice(i * arity, (i + 1) * arity),
      );
      const joined = Buffer.concat(groups.flat());
      const light = await WasmFactory.getInstance();
      const each = (name: string, hash: (group: Buffer[]) => unknown) => ({
        name,
        run: () => {
          for (const group of groups) hash(group);
          return Promise.resolve(GROUPS);
        },
      });
      const batch = (name: string, hash: () => unknown) => ({
        name,
        run: () => {
          hash();
          return Promise.resolve(GROUPS);
        },
      });
      const wasm = new WasmModule();
      const halves = [0, 1].map((half) =>
        joined.subarray((half * joined.length) / 2, ((half + 1) * joined.length) / 2),
      );
      const decimal = (input: Buffer) => BigInt(`0x${input.toString('hex')}`).toString();
      return {
        ways: [
          batch('in one batch', () => poseidonBatch(arity, joined)),
          each('one by one', poseidon),
          batch('in two batches, in WebAssembly', () => halves.map((half) => wasm.hash(arity, [half], GROUPS / 2))),
          each('hasher.rs', (group) => Buffer.from(light.poseidonHash(group.map(decimal)))),
          each('poseidon-hash-wasm', (group) =>
            Buffer.from(poseidonHex(group.map((input) => input.toString('hex'))).padStart(64, '0'), 'hex'),
          ),
        ],
      };
    },
  };
}

export const benches: Bench[] = [benchOf(2), benchOf(3)];
