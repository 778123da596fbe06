export { isFieldElement, MAX_INPUTS, poseidon, poseidonBatch } from './poseidon';
export { poseidonSeries } from './poseidon-series';
