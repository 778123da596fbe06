import { ERROR_TRAILER } from '@fresnel/contracts/prover';
import { FresnelError, toSlot } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
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
import { toProverError, toStatus } from './prover-error';

/** The error that a gRPC client creates from a status. */
function receive({ code, details, metadata }: Partial<StatusObject>): ServiceError {
  const [message, trailers] = [details ?? '', metadata ?? new Metadata()];
  return Object.assign(new Error(message), { code: code ?? status.UNKNOWN, details: message, metadata: trailers });
}

function withTrailer(bytes: Buffer): Metadata {
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, bytes);
  return metadata;
}

describe('an error of the prover', () => {
  it.each([
    [new AddressExistsError(testAddress(3)), status.ALREADY_EXISTS],
    [new UnknownTreeError(testAddressTree('addressV1').tree), status.NOT_FOUND],
    [new TreeNotServableError('It is quarantined.'), status.FAILED_PRECONDITION],
    [new ProverUnavailableError('closed'), status.UNAVAILABLE],
    [new TreeBehindError(toSlot(5), toSlot(6)), status.UNAVAILABLE],
    [new TreeBehindError(null, toSlot(6)), status.UNAVAILABLE],
    [new BranchUndecidedError(), status.UNAVAILABLE],
    [new LeafOutOfRangeError(2 ** 32, 32), status.OUT_OF_RANGE],
    [new QueueStartPassedError(0n, 2n ** 63n), status.OUT_OF_RANGE],
  ])('is equal after encoding and decoding: %s', (sentError, code) => {
    const sent = toStatus(sentError);
    expect(sent?.code).toBe(code);
    const received = toProverError(receive(sent ?? {}));
    expect(received).toBeInstanceOf(sentError.constructor);
    expect(received).toEqual(sentError);
    expect(Object.entries(received)).toEqual(Object.entries(sentError));
  });

  it('has no status if it is not part of the contract', () => {
    expect(toStatus(new Error('bug'))).toBeNull();
  });

  it.each([
    [status.UNAVAILABLE, 'prover-unavailable', true],
    [status.DEADLINE_EXCEEDED, 'prover-unavailable', true],
    [status.CANCELLED, 'prover-unavailable', true],
    [status.INTERNAL, 'prover-call', false],
    [status.UNIMPLEMENTED, 'prover-call', false],
    [status.RESOURCE_EXHAUSTED, 'prover-call', false],
  ])('without a trailer and with status %d is %s', (code, name, isRetryable) => {
    expect(toProverError(receive({ code }))).toMatchObject({ code: name, isRetryable });
  });

  it.each([
    ['is not Protobuf', Buffer.from('ffff', 'hex')],
    ['has an address with another length', Buffer.from([0x0a, 3, 0x0a, 1, 7])],
  ])('whose trailer %s is a ProverCallError', (_, bytes) => {
    const error = toProverError(receive({ code: status.NOT_FOUND, metadata: withTrailer(bytes) }));
    expect(error).toBeInstanceOf(FresnelError);
    expect(error.code).toBe('prover-call');
  });

  it('with a reason from a later version is determined by its status', () => {
    const metadata = withTrailer(Buffer.from([0x7a, 0]));
    expect(toProverError(receive({ code: status.UNAVAILABLE, metadata })).code).toBe('prover-unavailable');
  });
});
