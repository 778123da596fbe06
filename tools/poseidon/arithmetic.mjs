// The arithmetic of field elements in the AssemblyScript source of the Poseidon module.
//
// A field element is 9 limbs of 29 bits in 32-bit words, in Montgomery form with radix 2^261. The modulus has 254 bits, so there
// are 7 spare bits: elements stay below 2^261 through a whole permutation and are reduced below the modulus only at the end.
//
// Elements are stored limb by limb: the first limbs of a bank's elements, then all second limbs, and so on. So one load of 16 bytes
// takes the same limb of four elements that follow each other, at any element.
//
// Everything is a dot product with one Montgomery reduction, summed column by column in one 64-bit word:
//
//     column k of  a·b + c·d + … + m·p        a column has up to 9 products of 58 bits per pair of factors
//
// Seven pairs fit: the top limbs of factors are short (below 2^25), so a column sums 7 × 7 + 8 full products < 2^64. Pairs are
// multiplied two at a time in the lanes of vectors. An odd pair, the last, and the reduction are not.

import { P } from './field.mjs';

export const LIMBS = 9;
const LIMB_BITS = 29n;
const MASK = (1n << LIMB_BITS) - 1n;
export const RADIX_BITS = LIMB_BITS * BigInt(LIMBS);
/** Pairs of factors of the largest unrolled dot product. */
export const MAX_PAIRS = 7;
export const WORD_BYTES = 4;
/** Elements of a bank. The parameters of 12 inputs are 820. */
const BANK_ELEMENTS = 832;
/** Bytes from a limb of an element to its next. Not a multiple of 4096, for the sake of the cache. */
export const LIMB_STRIDE = BANK_ELEMENTS * WORD_BYTES;

/** @param {bigint} x */
const toLimbs = (x) => Array.from({ length: LIMBS }, (_, i) => (x >> (LIMB_BITS * BigInt(i))) & MASK);
export const modulus = toLimbs(P);

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
  const lines = ['let carry: u64 = 0;'];
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    const terms = products(k);
    if (hasAddend && k >= LIMBS) terms.push(`<u64>load<u32>(addend, ${LIMB_STRIDE * (k - LIMBS)})`);
    for (let i = Math.max(0, k - LIMBS + 1); i < Math.min(k, LIMBS); i++) terms.push(`m${i} * ${modulus[k - i]}`);
    // What is known last is added last: the processor works on the products while it waits for the column before.
    lines.push(`const sum${k}: u64 = ${[...terms, 'carry'].join(' + ')};`);
    if (k < LIMBS) {
      lines.push(
        `const m${k}: u64 = (sum${k} * ${negativeInverse()}) & ${MASK};`,
        `carry = (sum${k} + m${k} * ${modulus[0]}) >> ${LIMB_BITS};`,
      );
    } else {
      lines.push(
        `store<u32>(result, <u32>sum${k} & ${MASK}, ${LIMB_STRIDE * (k - LIMBS)});`,
        `carry = sum${k} >> ${LIMB_BITS};`,
      );
    }
  }
  if (hasAddend) lines.push(`carry += <u64>load<u32>(addend, ${LIMB_STRIDE * (LIMBS - 1)});`);
  lines.push(`store<u32>(result, <u32>carry, ${LIMB_STRIDE * (LIMBS - 1)});`);
  return lines;
}

/** @param {string} name @param {string} pointer */
export function loadLimbs(name, pointer) {
  return modulus.map((_, i) => `const ${name}_${i}: u64 = load<u32>(${pointer}, ${LIMB_STRIDE * i});`);
}

/**
 * Sums of products by column: two pairs in the lanes of a vector, which are added at the end.
 *
 * @param {number} pairs even
 */
function vectorColumns(pairs) {
  const lines = [];
  for (let j = 0; j < pairs; j += 4) {
    // Two pairs are loaded by 8 bytes: a wider load would wait for the store of the element behind them.
    const load = pairs - j >= 4 ? 'v128.load' : 'v128.load_zero<u64>';
    for (const name of ['a', 'b']) {
      modulus.forEach((_, i) =>
        lines.push(`const ${name}${j}_${i} = ${load}(${name}, ${LIMB_STRIDE * i + WORD_BYTES * j});`),
      );
    }
  }
  for (let k = 0; k <= 2 * LIMBS - 2; k++) {
    const terms = Array.from({ length: pairs / 2 }, (_, half) => {
      const j = 4 * (half >> 1);
      const multiply = `i64x2.extmul_${half % 2 === 0 ? 'low' : 'high'}_i32x4_u`;
      return limbPairs(k).map(([x, y]) => `${multiply}(a${j}_${x}, b${j}_${y})`);
    }).flat();
    lines.push(`let v${k} = ${terms[0]};`, ...terms.slice(1).map((term) => `v${k} = i64x2.add(v${k}, ${term});`));
    lines.push(`v${k} = i64x2.add(v${k}, v128.shuffle<u64>(v${k}, v${k}, 1, 0));`);
    lines.push(`const c${k}: u64 = i64x2.extract_lane(v${k}, 0);`);
  }
  return lines;
}

/** result = addend + Σ a[j] b[j] / R. @param {number} pairs */
export function dotFunction(pairs) {
  const isOdd = pairs % 2 === 1;
  const hasVectors = pairs > 1;
  const last = WORD_BYTES * (pairs - 1);
  return [
    `function dot${pairs}(result: usize, a: usize, b: usize, addend: usize): void {`,
    ...(hasVectors ? vectorColumns(pairs - (isOdd ? 1 : 0)) : []),
    ...(isOdd ? [...loadLimbs('a', `a + ${last}`), ...loadLimbs('b', `b + ${last}`)] : []),
    ...reduceColumns((k) => {
      const products = isOdd ? limbPairs(k).map(([x, y]) => `a_${x} * b_${y}`) : [];
      return hasVectors ? [`c${k}`, ...products] : products;
    }, true),
    '}',
  ];
}

/** result = a² / R; products of two different limbs are computed once and doubled. */
export function squareFunction() {
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
export function unpackLines() {
  return modulus.map((_, i) => {
    const bit = i * Number(LIMB_BITS);
    const word = Math.floor(bit / 64);
    const shift = bit % 64;
    const low = shift === 0 ? `w${word}` : `w${word} >> ${shift}`;
    const high = shift + Number(LIMB_BITS) > 64 && word < 3 ? ` | (w${word + 1} << ${64 - shift})` : '';
    return `store<u32>(element, <u32>(((${low})${high}) & ${MASK}), ${LIMB_STRIDE * i});`;
  });
}

export function packLines() {
  return [0, 1, 2, 3].map((word) => {
    const parts = modulus.flatMap((_, i) => {
      const shift = i * Number(LIMB_BITS) - word * 64;
      if (shift <= -Number(LIMB_BITS) || shift >= 64) return [];
      return [shift >= 0 ? `(e_${i} << ${shift})` : `(e_${i} >> ${-shift})`];
    });
    return `store<u64>(bytes, bswap<u64>(${parts.join(' | ')}), ${8 * (3 - word)});`;
  });
}

/** @param {string} pointer @param {bigint} value */
export function storeLines(pointer, value) {
  return toLimbs(value).map((limb, i) => `store<u32>(${pointer}, ${limb}, ${LIMB_STRIDE * i});`);
}
