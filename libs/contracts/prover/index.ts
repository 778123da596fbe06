export {
  type LeafProof,
  type NewAddressProof,
  type ProveLeavesRequest,
  ProveLeavesRequestSchema,
  type ProveLeavesResponse,
  ProveLeavesResponseSchema,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
  type ProverError,
  ProverErrorSchema,
} from './generated/prover.v1_pb';
export {
  MAX_PROVER_ADDRESSES,
  MAX_PROVER_LEAVES,
  MAX_PROVER_MESSAGE_BYTES,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
  PROVER_PACKAGE,
  PROVER_SERVICE,
  ERROR_TRAILER,
} from './prover-service';
