// Parameters of Poseidon over BN254, as circom uses them: derived by the published procedure, then rearranged for speed.
//
// Source: L. Grassi et al., "Poseidon: A New Hash Function for Zero-Knowledge Proof Systems" (USENIX Security 2021), appendix E
// (Grain LFSR, round constants, Cauchy matrix) and appendix B (constants moved out of the partial rounds).

import { apply, applyToRow, characteristicPolynomial, dot, invert, invertMatrix, mod, multiply, P } from './field.mjs';

export const FULL_ROUNDS = 8;
const HALF = FULL_ROUNDS / 2;
/** Partial rounds by number of inputs, 1 to 12. */
export const PARTIAL_ROUNDS = [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65];
const FIELD_BITS = 254;

/**
 * The bits of the self-shrinking Grain LFSR.
 *
 * @param {number} width elements of the state
 * @param {number} partialRounds
 */
function* grainBits(width, partialRounds) {
  /** @type {number[]} */
  const state = [];
  /** @param {number} value @param {number} length */
  const push = (value, length) => {
    for (let bit = length - 1; bit >= 0; bit--) state.push((value >> bit) & 1);
  };
  push(1, 2); // prime field
  push(0, 4); // s-box x^5
  push(FIELD_BITS, 12);
  push(width, 12);
  push(FULL_ROUNDS, 10);
  push(partialRounds, 10);
  push(2 ** 30 - 1, 30);
  let first = 0;
  const next = () => {
    const bit = [62, 51, 38, 23, 13, 0].reduce((sum, tap) => sum ^ state[(first + tap) % state.length], 0);
    state[first] = bit;
    first = (first + 1) % state.length;
    return bit;
  };
  for (let i = 0; i < 160; i++) next();
  for (;;) {
    const isUsed = next() === 1;
    const bit = next();
    if (isUsed) yield bit;
  }
}

/**
 * The published parameters: a constant for each element of each round, and the Cauchy matrix 1 / (x + y).
 *
 * @param {number} inputs 1 to 12
 */
export function deriveParameters(inputs) {
  const width = inputs + 1;
  const partialRounds = PARTIAL_ROUNDS[inputs - 1];
  const bits = grainBits(width, partialRounds);
  const draw = () => BigInt(`0b${Array.from({ length: FIELD_BITS }, () => bits.next().value).join('')}`);
  /** @type {bigint[]} */
  const drawn = [];
  while (drawn.length < width * (FULL_ROUNDS + partialRounds)) {
    const value = draw();
    if (value < P) drawn.push(value);
  }
  const constants = Array.from({ length: FULL_ROUNDS + partialRounds }, (_, round) =>
    drawn.slice(round * width, (round + 1) * width),
  );
  const xs = Array.from({ length: width }, draw);
  const ys = Array.from({ length: width }, draw);
  return { width, partialRounds, constants, mds: xs.map((x) => ys.map((y) => invert(mod(x + y)))) };
}

/**
 * The same permutation with partial rounds that cost one short dot product each.
 *
 * Constants. In a partial round only element 0 passes the s-box. So the constants of the other elements can be moved back
 * through the matrix into the round before; what remains is one constant a round, added behind the s-box.
 *
 * Matrix. Let u be element 0 before a partial round, y element 0 behind its s-box and constant, and x the other n elements:
 *
 *     mds = | d v |        u' = d y + v x
 *           | w A |        x' = w y + A x
 *
 * This is a linear system with input y and output u. By the theorem of Cayley and Hamilton its output is a linear recurrence,
 * with the coefficients a of the characteristic polynomial of A:
 *
 *     u(r+1) = b0 y(r) + b1 y(r-1) + … + bn y(r-n)  -  a1 u(r) - … - an u(r+1-n)        b(i) = d a(i) + Σ a(k) v A^(i-1-k) w
 *
 * So a round is one dot product of 2n + 1 terms with one modular reduction, and x is never computed. The u before the first
 * round are made up from x, u(1-k) = v A^-(k+1) x, by the matrix of the last full round (`enter`), with y = 0 there. Behind the last
 * round the same relation, solved for x, gives x from the last n pairs of y and u (`leave`).
 *
 * @param {number} inputs 1 to 12
 */
export function deriveFastParameters(inputs) {
  const { width, partialRounds, constants, mds } = deriveParameters(inputs);
  const n = width - 1;
  const { behindSbox, first } = moveConstants(constants, mds, partialRounds);

  const d = mds[0][0];
  const v = mds[0].slice(1);
  const w = mds.slice(1).map((row) => row[0]);
  const A = mds.slice(1).map((row) => row.slice(1));
  const a = characteristicPolynomial(A);
  const impulses = powers(w, (x) => apply(A, x), n).map((x) => dot(v, x)); // v A^k w
  const b = a.map((ai, i) => mod(d * ai + a.slice(0, i).reduce((sum, ak, k) => sum + ak * impulses[i - 1 - k], 0n)));
  const step = [b[0]];
  for (let k = 1; k <= n; k++) step.unshift(b[k], mod(-a[k]));

  const inverse = invertMatrix(A);
  const back = powers(applyToRow(v, inverse), (row) => applyToRow(row, inverse), n); // v A^-(k+1)
  const solve = invertMatrix(back);
  // back · x = u + T y, row by row for the last n rounds, newest first.
  const T = back.map((_, k) => back.map((_, j) => mod((j <= k ? dot(back[k - j], w) : 0n) - (j === k ? d : 0n))));
  const fromY = multiply(solve, T);
  const leave = solve.map((row, i) => row.flatMap((x, k) => [x, fromY[i][k]]).reverse());

  const ends = [1, 2, 3].map((round) => constants[HALF + partialRounds + round]);
  return {
    width,
    partialRounds,
    /** Constants by full round: 4, the made-up history, 3. */
    full: [...constants.slice(0, HALF), [first[0], ...apply(back, first.slice(1))], ...ends],
    mds,
    enter: [mds[0], ...multiply(back, mds.slice(1))],
    behindSbox,
    /** Terms in the order y(r-n), u(r+1-n), …, u(r), y(r). */
    step,
    /** Terms in the order y(R+1-n), u(R+2-n), …, y(R), u(R+1). */
    leave,
  };
}

/**
 * Moves the constants of the partial rounds, and of the full round behind them, back through the matrix.
 *
 * @param {bigint[][]} constants
 * @param {bigint[][]} mds
 * @param {number} partialRounds
 */
function moveConstants(constants, mds, partialRounds) {
  const inverse = invertMatrix(mds);
  /** @type {bigint[]} */
  const behindSbox = [];
  let pending = constants[HALF + partialRounds];
  for (let round = partialRounds - 1; round >= 0; round--) {
    const moved = apply(inverse, pending);
    behindSbox.unshift(moved[0]);
    pending = constants[HALF + round].map((x, i) => (i === 0 ? x : mod(x + moved[i])));
  }
  return { behindSbox, first: pending };
}

/**
 * @template T
 * @param {T} first
 * @param {(x: T) => T} next
 * @param {number} count
 */
function powers(first, next, count) {
  const list = [first];
  while (list.length < count) list.push(next(list[list.length - 1]));
  return list;
}
