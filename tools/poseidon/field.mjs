// Arithmetic modulo the order of the BN254 scalar field, for the parameter generator. Vectors are arrays of bigint, matrices are
// arrays of rows.

export const P = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;

/** @param {bigint} x @returns {bigint} the representative in [0, P) */
export function mod(x) {
  const rest = x % P;
  return rest < 0n ? rest + P : rest;
}

/** The inverse, by the extended Euclidean algorithm. @param {bigint} x not a multiple of P */
export function invert(x) {
  let [a, b, u, v] = [mod(x), P, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [u, v] = [v, u - quotient * v];
  }
  return mod(u);
}

/** @param {bigint[]} a @param {bigint[]} b @returns {bigint} */
export function dot(a, b) {
  return mod(a.reduce((sum, x, i) => sum + x * b[i], 0n));
}

/** @param {bigint[][]} matrix @param {bigint[]} vector a column */
export function apply(matrix, vector) {
  return matrix.map((row) => dot(row, vector));
}

/** @param {bigint[]} vector a row @param {bigint[][]} matrix */
export function applyToRow(vector, matrix) {
  return matrix[0].map((_, j) => dot(vector, column(matrix, j)));
}

/** @param {bigint[][]} a @param {bigint[][]} b */
export function multiply(a, b) {
  return a.map((row) => applyToRow(row, b));
}

/** @param {bigint[][]} matrix @param {number} j */
function column(matrix, j) {
  return matrix.map((row) => row[j]);
}

/** The inverse of a regular matrix, by Gauss-Jordan elimination. @param {bigint[][]} matrix */
export function invertMatrix(matrix) {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1n : 0n))]);
  for (let c = 0; c < size; c++) {
    const pivot = rows.findIndex((row, r) => r >= c && row[c] !== 0n);
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    const scale = invert(rows[c][c]);
    rows[c] = rows[c].map((x) => mod(x * scale));
    for (let r = 0; r < size; r++) {
      const factor = rows[r][c];
      if (r !== c && factor !== 0n) rows[r] = rows[r].map((x, j) => mod(x - factor * rows[c][j]));
    }
  }
  return rows.map((row) => row.slice(size));
}

/**
 * Coefficients of the characteristic polynomial, of the highest power (1) first, by the Faddeev-LeVerrier algorithm.
 *
 * @param {bigint[][]} matrix
 */
export function characteristicPolynomial(matrix) {
  const coefficients = [1n];
  let product = matrix.map((row) => row.map(() => 0n));
  for (let k = 1; k <= matrix.length; k++) {
    const last = coefficients[k - 1];
    const next = product.map((row, i) => row.map((x, j) => (i === j ? mod(x + last) : x)));
    product = multiply(matrix, next);
    const trace = product.reduce((sum, row, i) => sum + row[i], 0n);
    coefficients.push(mod(-invert(BigInt(k)) * trace));
  }
  return coefficients;
}
