import { ERROR_TRAILER } from '@fresnel/contracts/prover';
import { FresnelError } from '@fresnel/domain/primitives';
import { testAddress, testAddressTree } from '@fresnel/testing/trees';
import { Metadata, type ServiceError, status, type StatusObject } from '@grpc/grpc-js';
import { AddressExistsError, ProverUnavailableError, TreeNotServableError, UnknownTreeError } from './prover-client';
import { toProverError, toStatus } from './prover-error';

/** What a client gets of a status. */
function receive({ code, details, metadata }: Partial<StatusObject>): ServiceError {
  const [said, trailers] = [details ?? '', metadata ?? new Metadata()];
  return Object.assign(new Error(said), { code: code ?? status.UNKNOWN, details: said, metadata: trailers });
}

function withTrailer(bytes: Buffer): Metadata {
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, bytes);
  return metadata;
}

describe('a refusal of the prover', () => {
  it.each([
    [new AddressExistsError(testAddress(3)), status.ALREADY_EXISTS],
    [new UnknownTreeError(testAddressTree('addressV1').tree), status.NOT_FOUND],
    [new TreeNotServableError('It is closed.'), status.FAILED_PRECONDITION],
    [new ProverUnavailableError('behind'), status.UNAVAILABLE],
  ])('arrives as what it was: %s', (refusal, code) => {
    const sent = toStatus(refusal);
    expect(sent?.code).toBe(code);
    const received = toProverError(receive(sent ?? {}));
    expect(received).toBeInstanceOf(refusal.constructor);
    expect(received).toEqual(refusal);
    expect(Object.entries(received)).toEqual(Object.entries(refusal));
  });

  it('is none of what the contract does not name', () => {
    expect(toStatus(new Error('bug'))).toBeNull();
  });

  it.each([
    [status.UNAVAILABLE, 'prover-unavailable', true],
    [status.DEADLINE_EXCEEDED, 'prover-unavailable', true],
    [status.CANCELLED, 'prover-unavailable', true],
    [status.INTERNAL, 'prover-call', false],
    [status.UNIMPLEMENTED, 'prover-call', false],
    [status.RESOURCE_EXHAUSTED, 'prover-call', false],
  ])('that is not told in words counts by its status %d as %s', (code, name, isRetryable) => {
    expect(toProverError(receive({ code }))).toMatchObject({ code: name, isRetryable });
  });

  it.each([
    ['is not Protobuf', Buffer.from('ffff', 'hex')],
    ['names an address of another length', Buffer.from([0x0a, 3, 0x0a, 1, 7])],
  ])('that %s is an error of its own', (_, bytes) => {
    const error = toProverError(receive({ code: status.NOT_FOUND, metadata: withTrailer(bytes) }));
    expect(error).toBeInstanceOf(FresnelError);
    expect(error.code).toBe('prover-call');
  });

  it('of a case from a later version counts by its status', () => {
    const metadata = withTrailer(Buffer.from([0x7a, 0]));
    expect(toProverError(receive({ code: status.UNAVAILABLE, metadata })).code).toBe('prover-unavailable');
  });
});
