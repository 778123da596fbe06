import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { ERROR_TRAILER, type ProverError, ProverErrorSchema } from '@fresnel/contracts/prover';
import { FresnelError, messageOf, toHash, toPubkey } from '@fresnel/domain/primitives';
import { Metadata, type ServiceError, status, type StatusObject } from '@grpc/grpc-js';
import { AddressExistsError, ProverUnavailableError, TreeNotServableError, UnknownTreeError } from './prover-client';

/** The prover answered, but not as its contract says. */
export class ProverCallError extends FresnelError {
  readonly code = 'prover-call';
  readonly isRetryable = false;
}

/** A refusal with the status that goes with it. */
interface StatedRefusal {
  code: status;
  reason: MessageInitShape<typeof ProverErrorSchema>['reason'];
}

/** Statuses that gRPC itself gives when a prover cannot be reached or takes too long. */
const AWAY = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/** The status of a call that a prover refused. @returns null for an error that is not part of the contract */
export function toStatus(error: unknown): StatusObject | null {
  const refusal = refusalOf(error);
  if (!refusal) return null;
  const { code, reason } = refusal;
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, Buffer.from(toBinary(ProverErrorSchema, create(ProverErrorSchema, { reason }))));
  // The prover has waited already for what is missing, and another one is as far: asking again is the caller's choice.
  if (code === status.UNAVAILABLE) metadata.set('grpc-retry-pushback-ms', '-1');
  return { code, details: messageOf(error), metadata };
}

function refusalOf(error: unknown): StatedRefusal | null {
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
  return null;
}

/** The error that a caller of `ProverClient` gets for a call that failed. */
export function toProverError(error: ServiceError): FresnelError {
  const [refusal] = error.metadata.get(ERROR_TRAILER);
  const named = Buffer.isBuffer(refusal) ? readRefusal(refusal) : null;
  if (named) return named;
  const Failure = AWAY.has(error.code) ? ProverUnavailableError : ProverCallError;
  return new Failure(`the prover does not answer: ${error.message}`, { cause: error });
}

/** @returns null for a case that this version does not know */
function readRefusal(bytes: Buffer): FresnelError | null {
  try {
    return toError(fromBinary(ProverErrorSchema, bytes));
  } catch (error) {
    return new ProverCallError(`the prover's refusal cannot be read: ${messageOf(error)}`, { cause: error });
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
    case undefined:
      return null;
  }
}
