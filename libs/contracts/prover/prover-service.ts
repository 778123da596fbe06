import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type MethodDefinition } from '@grpc/grpc-js';
import {
  type FindQueueElementsRequest,
  FindQueueElementsRequestSchema,
  type FindQueuesRequest,
  FindQueuesRequestSchema,
  type FindQueuesResponse,
  FindQueuesResponseSchema,
  Prover,
  type ProveLeavesRequest,
  ProveLeavesRequestSchema,
  type ProveLeavesResponse,
  ProveLeavesResponseSchema,
  type ProveNewAddressesRequest,
  ProveNewAddressesRequestSchema,
  type ProveNewAddressesResponse,
  ProveNewAddressesResponseSchema,
  type FindQueueElementsResponse,
  FindQueueElementsResponseSchema,
} from './generated/prover.v1_pb';

export const PROVER_PACKAGE = 'fresnel.prover.v1';

/** Name of the service in its package. */
export const PROVER_SERVICE = 'Prover';

/** Metadata of a call: the id of the client's request, for logs. */
export const REQUEST_ID_KEY = 'x-request-id';

/** Trailer of a failed call: an encoded `ProverError`. */
export const ERROR_TRAILER = 'fresnel-error-bin';

/** Maximum number of addresses in one request. */
export const MAX_PROVER_ADDRESSES = 1_000;

/** Maximum number of leaves in one request. */
export const MAX_PROVER_LEAVES = 1_000;

/** Maximum number of entries of each queue in one request. */
export const MAX_QUEUE_ELEMENTS = 30_000;

/** The largest response, 1,000 proofs of a tree of height 40, has about 1.5 MB. */
export const MAX_PROVER_MESSAGE_BYTES = 4 * 1024 * 1024;

/** What each side of an encrypted connection needs, as PEM: the authority of both certificates, and its own certificate and key. */
export interface ProverTls {
  ca: string;
  cert: string;
  key: string;
}

/** gRPC definitions of the methods, for clients and servers. */
export const PROVE_NEW_ADDRESSES: MethodDefinition<ProveNewAddressesRequest, ProveNewAddressesResponse> = defineMethod(
  Prover.method.proveNewAddresses,
  ProveNewAddressesRequestSchema,
  ProveNewAddressesResponseSchema,
);
export const PROVE_LEAVES: MethodDefinition<ProveLeavesRequest, ProveLeavesResponse> = defineMethod(
  Prover.method.proveLeaves,
  ProveLeavesRequestSchema,
  ProveLeavesResponseSchema,
);
export const FIND_QUEUES: MethodDefinition<FindQueuesRequest, FindQueuesResponse> = defineMethod(
  Prover.method.findQueues,
  FindQueuesRequestSchema,
  FindQueuesResponseSchema,
);
/** The only method with a stream of responses. */
export const FIND_QUEUE_ELEMENTS: MethodDefinition<FindQueueElementsRequest, FindQueueElementsResponse> = defineMethod(
  Prover.method.findQueueElements,
  FindQueueElementsRequestSchema,
  FindQueueElementsResponseSchema,
);

function defineMethod<Request extends DescMessage, Response extends DescMessage>(
  { name, localName, methodKind }: { name: string; localName: string; methodKind: string },
  request: Request,
  response: Response,
): MethodDefinition<MessageShape<Request>, MessageShape<Response>> {
  return {
    path: `/${Prover.typeName}/${name}`,
    requestStream: false,
    responseStream: methodKind === 'server_streaming',
    requestSerialize: writerOf(request),
    requestDeserialize: readerOf(request),
    responseSerialize: writerOf(response),
    responseDeserialize: readerOf(response),
    originalName: localName,
  };
}

function writerOf<Schema extends DescMessage>(schema: Schema): (message: MessageShape<Schema>) => Buffer {
  return (message) => {
    const { buffer, byteOffset, length } = toBinary(schema, message);
    return Buffer.from(buffer, byteOffset, length);
  };
}

function readerOf<Schema extends DescMessage>(schema: Schema): (bytes: Buffer) => MessageShape<Schema> {
  return (bytes) => fromBinary(schema, bytes);
}
