export { FakeValidityProver, fakeProofOf } from './fake-validity-prover';
export { type ProofBytes, verifiesProof } from './groth16';
export { LightProver } from './light-prover';
export { findProvableAccounts, newAddressesFor, type ProvableAccounts } from './proof-subjects';
export { publicInputsOf } from './public-inputs';
