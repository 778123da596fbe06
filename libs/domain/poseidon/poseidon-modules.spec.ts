import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { be32, HASH_BYTES } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { NativeModule } from './native-module';
import { MAX_INPUTS } from './poseidon';
import { type PoseidonModule } from './poseidon-module';
import { WasmModule } from './wasm-module';

const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
/** More than two times what the native module hashes at once, and not a multiple of it. */
const GROUPS = 19;

/** Numbers at which limbs of 29 and of 52 bits, and the reduction, change. */
const EDGES = [
  ...[0n, 1n, 2n, MODULUS - 1n, MODULUS - 2n, MODULUS >> 1n],
  ...[29, 52].flatMap((bits) =>
    Array.from({ length: Math.floor(253 / bits) }, (_, limb) => 1n << BigInt(bits * (limb + 1))).flatMap((power) => [
      power - 1n,
      power,
    ]),
  ),
];
const fieldElement = fc.oneof(fc.bigInt({ min: 0n, max: MODULUS - 1n }), fc.constantFrom(...EDGES));
const inputsOf = (arity: number, groups: number) =>
  Buffer.concat(fc.sample(fieldElement, arity * groups).map((number) => be32(number)));

const wasm = new WasmModule();
const native = NativeModule.load();
const modules: [string, PoseidonModule][] = [['WasmModule', wasm]];
if (native) modules.push(['NativeModule', native]);
else
  console.warn(
    'the native module of Poseidon is not tested: see the reason in the test "is loaded wherever it can be"',
  );

describe('NativeModule', () => {
  it('is loaded wherever it can be: it is compiled, and the processor has its instructions', () => {
    const isCompiled = existsSync(join(__dirname, 'avx512.node'));
    const hasInstructions = isCompiled && readFileSync('/proc/cpuinfo', 'latin1').includes(' avx512ifma ');
    expect({ isCompiled, hasInstructions, isLoaded: native !== null }).toEqual({
      isCompiled,
      hasInstructions,
      isLoaded: hasInstructions,
    });
  });

  it('has the hashes of WebAssembly, for all numbers of inputs and of groups', () => {
    for (let arity = 1; arity <= MAX_INPUTS; arity++) {
      const inputs = inputsOf(arity, GROUPS);
      for (let groups = 0; groups <= GROUPS; groups++) {
        const parts = [inputs.subarray(0, arity * groups * HASH_BYTES)];
        const hashes = wasm.hash(arity, parts, groups);
        expect(hashes).toHaveLength(groups * HASH_BYTES);
        expect((native ?? wasm).hash(arity, parts, groups)).toEqual(hashes);
      }
    }
  });

  it('has the hashes of WebAssembly for thousands of pairs', () => {
    for (let round = 0; round < 40; round++) {
      const inputs = inputsOf(2, 256);
      expect((native ?? wasm).hash(2, [inputs], 256)).toEqual(wasm.hash(2, [inputs], 256));
    }
  });
});

describe.each(modules)('%s', (_, module) => {
  it('takes the inputs of a hash in parts', () => {
    const inputs = inputsOf(3, 1);
    const parts = [0, 1, 2].map((at) => inputs.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    expect(module.hash(3, parts, 1)).toEqual(module.hash(3, [inputs], 1));
  });

  it.each([0, 1, 7, 8, 18])('refuses an input outside the field in group %d', (group) => {
    for (const number of [MODULUS, 2n ** 256n - 1n]) {
      const inputs = inputsOf(2, GROUPS);
      be32(number).copy(inputs, (2 * group + 1) * HASH_BYTES);
      expect(module.hash(2, [inputs], GROUPS)).toBeNull();
    }
  });

  it('returns hashes that later hashes do not overwrite', () => {
    const first = module.hash(2, [inputsOf(2, 8)], 8);
    const copy = Buffer.from(first ?? []);
    module.hash(2, [inputsOf(2, 8)], 8);
    expect(first).toEqual(copy);
  });
});
