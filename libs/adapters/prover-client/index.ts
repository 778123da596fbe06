export {
  AddressExistsError,
  type NewAddressProof,
  type NewAddressProofs,
  PROVER_CLIENT,
  type ProverClient,
  ProverUnavailableError,
  TreeNotServableError,
  UnknownTreeError,
} from './prover-client';
