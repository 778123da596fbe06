export { HttpValidityProver, type HttpValidityProverOptions } from './http.validity-prover';
export {
  type AccountInput,
  type AddressInput,
  ProofRejectedError,
  type ProofInputs,
  type ValidityProver,
  ValidityProverUnavailableError,
} from './validity-prover';
