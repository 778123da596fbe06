// The source of the module in AssemblyScript; `arithmetic.mjs` has the representation of field elements.

import { P } from './field.mjs';
import {
  dotFunction,
  LIMB_STRIDE,
  LIMBS,
  loadLimbs,
  MAX_PAIRS,
  modulus,
  packLines,
  RADIX_BITS,
  squareFunction,
  storeLines,
  unpackLines,
  WORD_BYTES,
} from './arithmetic.mjs';

const MAX_WIDTH = 13;
const MAX_PARTIAL_ROUNDS = 66;

/** @returns {string} the module's source */
export function assemblySource() {
  const dots = Array.from({ length: MAX_PAIRS }, (_, i) => i + 1);
  const cases = dots.map((n) => `if (n == ${n}) { dot${n}(result, a, b, from); return; }`);
  return `
const ELEMENT: usize = ${WORD_BYTES};
const BANK: usize = memory.data(${LIMBS * LIMB_STRIDE}, 16);
const ZERO: usize = BANK;
const ONE: usize = BANK + ELEMENT;
const MODULUS: usize = BANK + 2 * ELEMENT;
/** R² modulo p: a product with it turns a number into its Montgomery form. */
const R_SQUARED: usize = BANK + 3 * ELEMENT;
const SCRATCH: usize = BANK + 4 * ELEMENT;
const STATE: usize = BANK + 5 * ELEMENT;
const NEXT_STATE: usize = STATE + ${MAX_WIDTH} * ELEMENT;
/** Pairs (u, y) of the partial rounds, behind the pairs that are made up before the first: up to ${2 * (MAX_WIDTH + MAX_PARTIAL_ROUNDS)} elements. */
const HISTORY: usize = NEXT_STATE + ${MAX_WIDTH} * ELEMENT;

${storeLines('ONE', 1n).join('\n')}
${storeLines('MODULUS', P).join('\n')}
${storeLines('R_SQUARED', (1n << (2n * RADIX_BITS)) % P).join('\n')}

function copy(to: usize, from: usize): void {
  ${modulus.map((_, i) => `store<u32>(to, load<u32>(from, ${LIMB_STRIDE * i}), ${LIMB_STRIDE * i});`).join('\n  ')}
}

${squareFunction().join('\n')}
${dots.map((pairs) => dotFunction(pairs).join('\n')).join('\n')}

function dot(result: usize, a: usize, b: usize, n: u32, addend: usize): void {
  let from = addend;
  while (n > ${MAX_PAIRS}) {
    dot${MAX_PAIRS}(result, a, b, from);
    a += ${MAX_PAIRS} * ELEMENT;
    b += ${MAX_PAIRS} * ELEMENT;
    n -= ${MAX_PAIRS};
    from = result;
  }
  ${cases.join('\n  ')}
}

/** result = a^5 + addend */
function sbox(result: usize, a: usize, addend: usize): void {
  square(SCRATCH, a);
  square(SCRATCH, SCRATCH);
  dot1(result, SCRATCH, a, addend);
}

/** The s-box of every element, then the matrix, then constants. */
function fullRound(to: usize, state: usize, width: u32, matrix: usize, constants: usize): void {
  for (let i: u32 = 0; i < width; i++) sbox(state + i * ELEMENT, state + i * ELEMENT, ZERO);
  for (let i: u32 = 0; i < width; i++) {
    dot(to + i * ELEMENT, matrix + i * width * ELEMENT, state, width, constants + i * ELEMENT);
  }
}

/** All partial rounds: from u(1) and the made-up history in \`from\` to the state in \`to\`. */
function partialRounds(to: usize, from: usize, width: u32, rounds: u32, parameters: usize): void {
  const n = width - 1;
  const step = parameters + rounds * ELEMENT;
  const leave = step + (2 * n + 1) * ELEMENT;
  let end = HISTORY;
  for (let i = n; i > 0; i--) {
    copy(end, ZERO);
    copy(end + ELEMENT, from + i * ELEMENT);
    end += 2 * ELEMENT;
  }
  let window = HISTORY;
  let u = from;
  for (let round: u32 = 0; round < rounds; round++) {
    sbox(end, u, parameters + round * ELEMENT);
    u = end + ELEMENT;
    if (n == 2) dot5(u, step, window, ZERO);
    else if (n == 3) dot7(u, step, window, ZERO);
    else dot(u, step, window, 2 * n + 1, ZERO);
    window += 2 * ELEMENT;
    end += 2 * ELEMENT;
  }
  copy(to, u);
  for (let i: u32 = 0; i < n; i++) dot(to + (i + 1) * ELEMENT, leave + i * 2 * n * ELEMENT, window, 2 * n, ZERO);
}

/** The permutation of STATE, to which the first constants are added already. Element 0 of the result goes to SCRATCH. */
function permute(width: u32, rounds: u32, parameters: usize): void {
  const row: usize = width * ELEMENT;
  const constants = parameters;
  const mds = constants + ${8} * row;
  const enter = mds + width * row;
  const partial = enter + width * row;
  fullRound(NEXT_STATE, STATE, width, mds, constants + row);
  fullRound(STATE, NEXT_STATE, width, mds, constants + 2 * row);
  fullRound(NEXT_STATE, STATE, width, mds, constants + 3 * row);
  fullRound(STATE, NEXT_STATE, width, enter, constants + 4 * row);
  partialRounds(NEXT_STATE, STATE, width, rounds, partial);
  fullRound(STATE, NEXT_STATE, width, mds, constants + 5 * row);
  fullRound(NEXT_STATE, STATE, width, mds, constants + 6 * row);
  fullRound(STATE, NEXT_STATE, width, mds, constants + 7 * row);
  for (let i: u32 = 0; i < width; i++) sbox(STATE + i * ELEMENT, STATE + i * ELEMENT, ZERO);
  dot(SCRATCH, mds, STATE, width, ZERO);
}

/** 32 bytes, big endian, to limbs. */
function unpack(element: usize, bytes: usize): void {
  const w0 = bswap<u64>(load<u64>(bytes, 24));
  const w1 = bswap<u64>(load<u64>(bytes, 16));
  const w2 = bswap<u64>(load<u64>(bytes, 8));
  const w3 = bswap<u64>(load<u64>(bytes));
  ${unpackLines().join('\n  ')}
}

/** Limbs to 32 bytes, big endian. */
function pack(bytes: usize, element: usize): void {
  ${loadLimbs('e', 'element').join('\n  ')}
  ${packLines().join('\n  ')}
}

function isBelowModulus(element: usize): bool {
  for (let i: i32 = ${LIMBS - 1}; i >= 0; i--) {
    const x = load<u32>(element + <usize>i * ${LIMB_STRIDE});
    const y = load<u32>(MODULUS + <usize>i * ${LIMB_STRIDE});
    if (x != y) return x < y;
  }
  return false;
}

/** First free byte of the memory. */
export function heap(): usize {
  return __heap_base;
}

/** Unpacks \`count\` parameters of 32 bytes to a bank. */
export function loadParameters(parameters: usize, bytes: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    unpack(SCRATCH, bytes + i * 32);
    dot1(parameters + i * ELEMENT, SCRATCH, R_SQUARED, ZERO);
  }
}

/**
 * Hashes \`count\` groups of \`width\` - 1 inputs of 32 bytes each.
 *
 * @returns the number of groups that were hashed: less than \`count\` where an input is not below the modulus
 */
export function hash(width: u32, rounds: u32, parameters: usize, inputs: usize, outputs: usize, count: u32): u32 {
  for (let group: u32 = 0; group < count; group++) {
    copy(STATE, parameters);
    for (let i: u32 = 1; i < width; i++) {
      unpack(SCRATCH, inputs);
      if (!isBelowModulus(SCRATCH)) return group;
      dot1(STATE + i * ELEMENT, SCRATCH, R_SQUARED, parameters + i * ELEMENT);
      inputs += 32;
    }
    permute(width, rounds, parameters);
    // The product with 1 leaves the Montgomery form. It is at most p, and p only for 0.
    dot1(SCRATCH, SCRATCH, ONE, ZERO);
    if (!isBelowModulus(SCRATCH)) copy(SCRATCH, ZERO);
    pack(outputs, SCRATCH);
    outputs += 32;
  }
  return count;
}
`;
}
