export { HttpValidityProver, type HttpValidityProverOptions } from './http.validity-prover';
export {
  type AccountInput,
  type AddressInput,
  ProofRejectedError,
  type ProofInputs,
  VALIDITY_PROVER,
  type ValidityProver,
  ValidityProverUnavailableError,
} from './validity-prover';
