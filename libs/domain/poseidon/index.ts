export { isFieldElement, MAX_INPUTS, poseidon, poseidonBatch } from './poseidon';
