export {
  type NewAddressProof,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
  type ProverError,
  ProverErrorSchema,
} from './generated/prover.v1_pb';
export {
  MAX_PROVER_ADDRESSES,
  MAX_PROVER_MESSAGE_BYTES,
  PROVE_NEW_ADDRESSES,
  PROVER_PACKAGE,
  PROVER_SERVICE,
  ERROR_TRAILER,
} from './prover-service';
