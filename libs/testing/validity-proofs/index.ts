export { FakeValidityProver, fakeProofOf } from './fake-validity-prover';
export { type ProofBytes, readVerifyingKey, type VerifyingKey, verifiesProof } from './groth16';
export { LightProver, type ProofSize } from './light-prover';
export { findProvableAccounts, newAddressesFor, type ProvableAccounts } from './proof-subjects';
export { publicInputsOf } from './public-inputs';
