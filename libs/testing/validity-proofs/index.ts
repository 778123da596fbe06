export { type ProofBytes, readVerifyingKey, type VerifyingKey, verifiesProof } from './groth16';
export { LightProver, type ProofSize } from './light-prover';
export { publicInputsOf } from './public-inputs';
