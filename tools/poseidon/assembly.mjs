// Writes the AssemblyScript source of the Poseidon module.
//
// A field element is 9 limbs of 29 bits in 64-bit words, in Montgomery form with radix 2^261. The modulus has 254 bits, so there
// are 7 spare bits: elements stay below 2^261 through a whole permutation and are reduced below the modulus only at the end.
//
// Everything is a dot product with one Montgomery reduction, summed column by column in one 64-bit word:
//
//     column k of  a·b + c·d + … + m·p        a column has up to 9 products of 58 bits per pair of factors
//
// Seven pairs fit: the top limbs of factors are short (below 2^25), so a column sums 7 × 7 + 8 full products < 2^64.

import { P } from './field.mjs';

const LIMBS = 9;
const LIMB_BITS = 29n;
const MASK = (1n << LIMB_BITS) - 1n;
const RADIX_BITS = LIMB_BITS * BigInt(LIMBS);
/** Pairs of factors of the largest unrolled dot product. */
const MAX_PAIRS = 7;
const MAX_WIDTH = 13;
const MAX_PARTIAL_ROUNDS = 66;
const WORD_BYTES = 8;
const ELEMENT_BYTES = LIMBS * WORD_BYTES;

/** @param {bigint} x */
const toLimbs = (x) => Array.from({ length: LIMBS }, (_, i) => (x >> (LIMB_BITS * BigInt(i))) & MASK);
const modulus = toLimbs(P);

/** -1/P modulo 2^29, by Newton's iteration. */
function negativeInverse() {
  let inverse = 1n;
  for (let i = 0; i < 5; i++) inverse = (inverse * (2n - modulus[0] * inverse)) & MASK;
  return -inverse & MASK;
}

/**
 * The body of a Montgomery multiplication.
 *
 * @param {(column: number) => string[]} products of limbs whose indices sum to the column
 * @param {boolean} hasAddend whether an element is added to the result
 */
function reduceColumns(products, hasAddend) {
  const lines = ['let sum: u64 = 0;'];
  const add = (/** @type {string} */ term) => lines.push(`sum += ${term};`);
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    products(k).forEach(add);
    if (hasAddend && k >= LIMBS) add(`load<u64>(addend, ${WORD_BYTES * (k - LIMBS)})`);
    for (let i = Math.max(0, k - LIMBS + 1); i < Math.min(k, LIMBS); i++) add(`m${i} * ${modulus[k - i]}`);
    if (k < LIMBS) {
      lines.push(`const m${k} = (sum * ${negativeInverse()}) & ${MASK};`);
      lines.push(`sum = (sum + m${k} * ${modulus[0]}) >> ${LIMB_BITS};`);
    } else {
      lines.push(`store<u64>(result, sum & ${MASK}, ${WORD_BYTES * (k - LIMBS)});`, `sum >>= ${LIMB_BITS};`);
    }
  }
  if (hasAddend) add(`load<u64>(addend, ${WORD_BYTES * (LIMBS - 1)})`);
  lines.push(`store<u64>(result, sum, ${WORD_BYTES * (LIMBS - 1)});`);
  return lines;
}

/** @param {string} name @param {string} pointer */
function loadLimbs(name, pointer) {
  return modulus.map((_, i) => `const ${name}_${i} = load<u64>(${pointer}, ${WORD_BYTES * i});`);
}

/** result = addend + Σ a[j] b[j] / R. @param {number} pairs */
function dotFunction(pairs) {
  const all = Array.from({ length: pairs }, (_, j) => j);
  return [
    `function dot${pairs}(result: usize, a: usize, b: usize, addend: usize): void {`,
    ...all.flatMap((j) => [
      ...loadLimbs(`a${j}`, `a + ${j * ELEMENT_BYTES}`),
      ...loadLimbs(`b${j}`, `b + ${j * ELEMENT_BYTES}`),
    ]),
    ...reduceColumns((k) => all.flatMap((j) => limbPairs(k).map(([x, y]) => `a${j}_${x} * b${j}_${y}`)), true),
    '}',
  ];
}

/** result = a² / R; products of two different limbs are computed once and doubled. */
function squareFunction() {
  return [
    'function square(result: usize, a: usize): void {',
    ...loadLimbs('a', 'a'),
    ...modulus.map((_, i) => `const twice_${i} = a_${i} << 1;`),
    ...reduceColumns(
      (k) =>
        limbPairs(k)
          .filter(([x, y]) => x <= y)
          .map(([x, y]) => (x === y ? `a_${x} * a_${x}` : `twice_${x} * a_${y}`)),
      false,
    ),
    '}',
  ];
}

/** @param {number} column @returns {[number, number][]} */
function limbPairs(column) {
  return modulus.flatMap((_, i) => (column - i >= 0 && column - i < LIMBS ? [[i, column - i]] : []));
}

/** Shifts between 4 words of 64 bits and 9 limbs of 29. */
function unpackLines() {
  return modulus.map((_, i) => {
    const bit = i * Number(LIMB_BITS);
    const word = Math.floor(bit / 64);
    const shift = bit % 64;
    const low = shift === 0 ? `w${word}` : `w${word} >> ${shift}`;
    const high = shift + Number(LIMB_BITS) > 64 && word < 3 ? ` | (w${word + 1} << ${64 - shift})` : '';
    return `store<u64>(element, ((${low})${high}) & ${MASK}, ${WORD_BYTES * i});`;
  });
}

function packLines() {
  return [0, 1, 2, 3].map((word) => {
    const parts = modulus.flatMap((_, i) => {
      const shift = i * Number(LIMB_BITS) - word * 64;
      if (shift <= -Number(LIMB_BITS) || shift >= 64) return [];
      return [shift >= 0 ? `(e_${i} << ${shift})` : `(e_${i} >> ${-shift})`];
    });
    return `store<u64>(bytes, bswap<u64>(${parts.join(' | ')}), ${WORD_BYTES * (3 - word)});`;
  });
}

/** @returns {string} the module's source */
export function assemblySource() {
  const dots = Array.from({ length: MAX_PAIRS }, (_, i) => i + 1);
  const cases = dots.map((n) => `if (n == ${n}) { dot${n}(result, a, b, from); return; }`);
  return `
const ELEMENT: usize = ${ELEMENT_BYTES};
const ZERO: usize = memory.data(${ELEMENT_BYTES}, 8);
const ONE: usize = memory.data<u64>([${toLimbs(1n)}]);
const MODULUS: usize = memory.data<u64>([${modulus}]);
/** R² modulo p: a product with it turns a number into its Montgomery form. */
const R_SQUARED: usize = memory.data<u64>([${toLimbs((1n << (2n * RADIX_BITS)) % P)}]);
const SCRATCH: usize = memory.data(${ELEMENT_BYTES}, 8);
const STATE: usize = memory.data(${ELEMENT_BYTES * MAX_WIDTH}, 8);
const NEXT_STATE: usize = memory.data(${ELEMENT_BYTES * MAX_WIDTH}, 8);
/** Pairs (u, y) of the partial rounds, behind the pairs that are made up before the first. */
const HISTORY: usize = memory.data(${ELEMENT_BYTES * 2 * (MAX_WIDTH + MAX_PARTIAL_ROUNDS)}, 8);

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
    memory.fill(end, 0, ELEMENT);
    memory.copy(end + ELEMENT, from + i * ELEMENT, ELEMENT);
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
  memory.copy(to, u, ELEMENT);
  for (let i: u32 = 0; i < n; i++) dot(to + (i + 1) * ELEMENT, leave + i * 2 * n * ELEMENT, window, 2 * n, ZERO);
}

/** The permutation of STATE, to which the first constants are added already. Element 0 of the result goes to SCRATCH. */
function permute(width: u32, rounds: u32, parameters: usize): void {
  const row = width * ELEMENT;
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
    const x = load<u64>(element + <usize>i * ${WORD_BYTES});
    const y = load<u64>(MODULUS + <usize>i * ${WORD_BYTES});
    if (x != y) return x < y;
  }
  return false;
}

/** First free byte of the memory. */
export function heap(): usize {
  return __heap_base;
}

/** Unpacks \`count\` parameters of 32 bytes. */
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
    memory.copy(STATE, parameters, ELEMENT);
    for (let i: u32 = 1; i < width; i++) {
      unpack(SCRATCH, inputs);
      if (!isBelowModulus(SCRATCH)) return group;
      dot1(STATE + i * ELEMENT, SCRATCH, R_SQUARED, parameters + i * ELEMENT);
      inputs += 32;
    }
    permute(width, rounds, parameters);
    // The product with 1 leaves the Montgomery form. It is at most p, and p only for 0.
    dot1(SCRATCH, SCRATCH, ONE, ZERO);
    if (!isBelowModulus(SCRATCH)) memory.fill(SCRATCH, 0, ELEMENT);
    pack(outputs, SCRATCH);
    outputs += 32;
  }
  return count;
}
`;
}
