export { type CircuitSet, type CircuitSize, CIRCUIT_SETS, explainMissingCircuit } from './circuits';
export { compressProof, type CompressedProof, InvalidProofError, type UncompressedProof } from './compress-proof';
export { type MerklePath, rootsOfPaths } from './merkle-path';
export { hashPublicInputs, type PublicInputs } from './public-inputs';
