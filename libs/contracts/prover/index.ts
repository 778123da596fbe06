export {
  type NewAddressProof,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
  type Refusal,
  RefusalSchema,
} from './generated/prover.v1_pb';
export {
  MAX_PROVER_ADDRESSES,
  MAX_PROVER_MESSAGE_BYTES,
  PROVE_NEW_ADDRESSES,
  PROVER_PACKAGE,
  PROVER_SERVICE,
  REFUSAL_TRAILER,
} from './prover-service';
