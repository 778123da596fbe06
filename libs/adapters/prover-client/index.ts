export { GrpcProverClient, type GrpcProverClientOptions } from './grpc.prover-client';
export {
  AddressExistsError,
  type NewAddressProof,
  type NewAddressProofs,
  PROVER_CLIENT,
  type ProverClient,
  ProverUnavailableError,
  TreeBehindError,
  TreeNotServableError,
  UnknownTreeError,
} from './prover-client';
export { ProverCallError, toStatus } from './prover-error';
export { type ProofRequest, readRequest, writeProofs } from './prover-wire';
