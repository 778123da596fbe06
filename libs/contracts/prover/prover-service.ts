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

/** Name of the service in its package. */
export const PROVER_SERVICE = 'Prover';

/** Trailer of a failed call: an encoded `ProverError`. */
export const ERROR_TRAILER = 'fresnel-error-bin';

/** Maximum number of addresses in one request. */
export const MAX_PROVER_ADDRESSES = 1_000;

/** The largest response, 1,000 proofs of a tree of height 40, has about 1.5 MB. */
export const MAX_PROVER_MESSAGE_BYTES = 4 * 1024 * 1024;

/** gRPC definition of the only method, for clients and servers. */
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
