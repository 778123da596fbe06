import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type MethodDefinition } from '@grpc/grpc-js';
import {
  Prover,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
} from './generated/prover.v1_pb';

export const PROVER_PACKAGE = 'fresnel.prover.v1';

/** The service's name inside its package. */
export const PROVER_SERVICE = 'Prover';

/** Trailer of a refused call: a `Refusal`, which names the case and carries what a caller needs to tell it. */
export const REFUSAL_TRAILER = 'fresnel-refusal-bin';

/** Most addresses of one request. */
export const MAX_PROVER_ADDRESSES = 1_000;

/** The longest response, a thousand proofs of a tree with 40 levels, takes about 1.5 MB. */
export const MAX_PROVER_MESSAGE_BYTES = 4 * 1024 * 1024;

/** The one call of the service, as clients and servers of gRPC take it. */
export const PROVE_NEW_ADDRESSES: MethodDefinition<ProveNewAddressesRequest, ProveNewAddressesResponse> = {
  path: `/${Prover.typeName}/${Prover.method.proveNewAddresses.name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: writerOf(ProveNewAddressesRequestSchema),
  requestDeserialize: readerOf(ProveNewAddressesRequestSchema),
  responseSerialize: writerOf(ProveNewAddressesResponseSchema),
  responseDeserialize: readerOf(ProveNewAddressesResponseSchema),
  originalName: Prover.method.proveNewAddresses.localName,
};

function writerOf<Schema extends DescMessage>(schema: Schema): (message: MessageShape<Schema>) => Buffer {
  return (message) => {
    const { buffer, byteOffset, length } = toBinary(schema, message);
    return Buffer.from(buffer, byteOffset, length);
  };
}

function readerOf<Schema extends DescMessage>(schema: Schema): (bytes: Buffer) => MessageShape<Schema> {
  return (bytes) => fromBinary(schema, bytes);
}
