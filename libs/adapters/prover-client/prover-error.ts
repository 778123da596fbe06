import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { ERROR_TRAILER, type ProverError, ProverErrorSchema } from '@fresnel/contracts/prover';
import { FresnelError, messageOf, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { Metadata, type ServiceError, status, type StatusObject } from '@grpc/grpc-js';
import {
  AddressExistsError,
  BranchUndecidedError,
  LeafOutOfRangeError,
  ProverUnavailableError,
  TreeBehindError,
  TreeNotServableError,
  UnknownTreeError,
} from './prover-client';
import { QueueStartPassedError } from './prover-elements';

/** The response of the prover violates its contract. */
export class ProverCallError extends FresnelError {
  readonly code = 'prover-call';
  readonly isRetryable = false;
}

/** An error of the contract, and its gRPC status. */
interface ErrorStatus {
  code: status;
  reason: MessageInitShape<typeof ProverErrorSchema>['reason'];
}

/** gRPC statuses for a prover that cannot be reached or takes too long. */
const UNAVAILABLE_STATUSES = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/** Converts an error of a prover to a gRPC status. @returns null for an error that is not part of the contract */
export function toStatus(error: unknown): StatusObject | null {
  const described = describeError(error);
  if (!described) return null;
  const { code, reason } = described;
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, Buffer.from(toBinary(ProverErrorSchema, create(ProverErrorSchema, { reason }))));
  // Disables retries by gRPC: this prover has already waited for the slot, and other provers are unlikely to be ahead.
  if (code === status.UNAVAILABLE) metadata.set('grpc-retry-pushback-ms', '-1');
  return { code, details: messageOf(error), metadata };
}

function describeError(error: unknown): ErrorStatus | null {
  if (error instanceof AddressExistsError) {
    return { code: status.ALREADY_EXISTS, reason: { case: 'addressExists', value: { address: error.address } } };
  }
  if (error instanceof UnknownTreeError) {
    return { code: status.NOT_FOUND, reason: { case: 'unknownTree', value: { tree: error.tree } } };
  }
  if (error instanceof TreeNotServableError) {
    const value = { message: error.message };
    return { code: status.FAILED_PRECONDITION, reason: { case: 'treeNotServable', value } };
  }
  if (error instanceof ProverUnavailableError) {
    return { code: status.UNAVAILABLE, reason: { case: 'unavailable', value: { message: error.message } } };
  }
  if (error instanceof TreeBehindError) {
    const value = { slot: error.slot === null ? undefined : BigInt(error.slot), minSlot: BigInt(error.minSlot) };
    return { code: status.UNAVAILABLE, reason: { case: 'treeBehind', value } };
  }
  if (error instanceof BranchUndecidedError) {
    return { code: status.UNAVAILABLE, reason: { case: 'branchUndecided', value: {} } };
  }
  if (error instanceof LeafOutOfRangeError) {
    const value = { leafIndex: BigInt(error.leafIndex), height: error.height };
    return { code: status.OUT_OF_RANGE, reason: { case: 'leafOutOfRange', value } };
  }
  if (error instanceof QueueStartPassedError) {
    const { startIndex, firstIndex } = error;
    return { code: status.OUT_OF_RANGE, reason: { case: 'queueStartPassed', value: { startIndex, firstIndex } } };
  }
  return null;
}

/** Converts the error of a gRPC call to the error that `ProverClient` throws. */
export function toProverError(error: ServiceError): FresnelError {
  const [trailer] = error.metadata.get(ERROR_TRAILER);
  const decoded = Buffer.isBuffer(trailer) ? decodeError(trailer) : null;
  if (decoded) return decoded;
  const CallError = UNAVAILABLE_STATUSES.has(error.code) ? ProverUnavailableError : ProverCallError;
  return new CallError(`the call to the prover failed: ${error.message}`, { cause: error });
}

/** @returns null for a reason that a later version introduced */
function decodeError(bytes: Buffer): FresnelError | null {
  try {
    return toError(fromBinary(ProverErrorSchema, bytes));
  } catch (error) {
    return new ProverCallError(`the prover's error cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}

function toError({ reason }: ProverError): FresnelError | null {
  switch (reason.case) {
    case 'addressExists':
      return new AddressExistsError(toHash(Buffer.from(reason.value.address)));
    case 'unknownTree':
      return new UnknownTreeError(toPubkey(Buffer.from(reason.value.tree)));
    case 'treeNotServable':
      return new TreeNotServableError(reason.value.message);
    case 'unavailable':
      return new ProverUnavailableError(reason.value.message);
    case 'treeBehind': {
      const { slot, minSlot } = reason.value;
      return new TreeBehindError(slot === undefined ? null : toSlot(Number(slot)), toSlot(Number(minSlot)));
    }
    case 'branchUndecided':
      return new BranchUndecidedError();
    case 'leafOutOfRange':
      return new LeafOutOfRangeError(Number(reason.value.leafIndex), reason.value.height);
    case 'queueStartPassed':
      return new QueueStartPassedError(reason.value.startIndex, reason.value.firstIndex);
    case undefined:
      return null;
  }
}
