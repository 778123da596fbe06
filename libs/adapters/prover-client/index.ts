export { GrpcProverClient, type GrpcProverClientOptions } from './grpc.prover-client';
export {
  AddressExistsError,
  BranchUndecidedError,
  LeafOutOfRangeError,
  type NewAddressProof,
  type NewAddressProofs,
  PROVER_CLIENT,
  type ProverCallOptions,
  type ProverClient,
  ProverUnavailableError,
  type QueueRange,
  type StateTreeProofs,
  TreeBehindError,
  TreeNotServableError,
  type TreeQueues,
  UnknownTreeError,
} from './prover-client';
export {
  type AddressElement,
  type InputElement,
  NODE_BYTES,
  type OutputElement,
  type QueueElements,
  type QueueElementsRequest,
  type QueueRequest,
  QueueStartPassedError,
} from './prover-elements';
export { type ElementsRequest, readElementsRequest, writeElements } from './prover-elements.wire';
export { ELEMENT_RECORD_BYTES, packElements, unpackElements, unpackProofs } from './proof-records';
export { ProverCallError, toStatus } from './prover-error';
export { type LeavesRequest, readLeavesRequest, writeLeaves } from './prover-leaves.wire';
export { type QueuesRequest, readQueuesRequest, writeQueues } from './prover-queues.wire';
export { type ProofRequest, readRequest, writeProofs } from './prover-wire';
