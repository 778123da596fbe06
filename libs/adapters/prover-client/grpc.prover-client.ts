import {
  FIND_QUEUE_ELEMENTS,
  FIND_QUEUES,
  MAX_PROVER_MESSAGE_BYTES,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
  type ProverTls,
  REQUEST_ID_KEY,
} from '@fresnel/contracts/prover';
import { type Hash, messageOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { inSpan, traceHeaders } from '@fresnel/platform';
import { secureChannel } from '@fresnel/platform/grpc';
import { wallClock } from '@fresnel/platform/time';
import {
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { toTarget } from './prover-address';
import {
  type NewAddressProofs,
  type ProverCallOptions,
  type ProverClient,
  ProverUnavailableError,
  type StateTreeProofs,
  type TreeQueues,
} from './prover-client';
import { ProverCallError, toProverError } from './prover-error';
import { ElementsAssembler, writeElementsRequest } from './prover-elements.wire';
import { readLeaves, writeLeavesRequest } from './prover-leaves.wire';
import { readQueues, writeQueuesRequest } from './prover-queues.wire';
import { readProofs, writeRequest } from './prover-wire';
import { type QueueElements, type QueueElementsRequest } from './prover-elements';

const SERVICE = PROVE_NEW_ADDRESSES.path.split('/')[1];

/** Distributes calls over the provers, and retries a call on another prover if the connection breaks. */
const SERVICE_CONFIG = JSON.stringify({
  loadBalancingConfig: [{ round_robin: {} }],
  methodConfig: [
    {
      name: [{ service: SERVICE }],
      retryPolicy: {
        maxAttempts: 3,
        initialBackoff: '0.05s',
        maxBackoff: '0.5s',
        backoffMultiplier: 3,
        retryableStatusCodes: ['UNAVAILABLE'],
      },
    },
  ],
});

/** The largest answer for a thousand addresses, of a tree with 40 levels, is 1.4 MB: it arrives without waiting for the client. */
const FLOW_CONTROL_WINDOW_BYTES = 2 * 1024 * 1024;

const CHANNEL = {
  'grpc.service_config': SERVICE_CONFIG,
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': MAX_PROVER_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_PROVER_MESSAGE_BYTES,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
  // Provers are inside the network. A proxy in the environment is for what is outside.
  'grpc.enable_http_proxy': 0,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // Reconnects to a restarted prover within seconds. By default gRPC waits up to two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
};

export interface GrpcProverClientOptions {
  /** The format is described at `toTarget`. */
  address: string;
  /** Encrypts the connections, and authenticates both sides. Default: neither. */
  tls?: ProverTls | null;
  /** Deadline of a call. Longer than a prover waits for a slot. */
  deadlineMs: number;
}

/** Calls provers over gRPC. Connects at the first call. */
export class GrpcProverClient implements ProverClient {
  private readonly client: Client;
  private readonly calls = new Set<OpenCall>();
  private isClosed = false;

  /** @throws MalformedTextError for an invalid address */
  constructor(private readonly options: GrpcProverClientOptions) {
    const target = toTarget(options.address);
    const secure = options.tls ? secureChannel(target, options.tls) : null;
    this.client = new Client(target, secure?.credentials ?? credentials.createInsecure(), {
      ...CHANNEL,
      ...secure?.options,
    });
  }

  /** Also throws ProverCallError for an invalid response. */
  async proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<NewAddressProofs> {
    const response = await this.call(PROVE_NEW_ADDRESSES, writeRequest({ tree, addresses, minSlot }), options);
    return decode((wire) => readProofs(wire, addresses.length), response);
  }

  /** Also throws ProverCallError for an invalid response. */
  async proveLeaves(
    tree: Pubkey,
    leafIndices: readonly number[],
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<StateTreeProofs> {
    const response = await this.call(PROVE_LEAVES, writeLeavesRequest({ tree, leafIndices, minSlot }), options);
    return decode((wire) => readLeaves(wire, leafIndices), response);
  }

  /** Also throws ProverCallError for an invalid response. */
  async findQueues(tree: Pubkey, minSlot: Slot, options?: ProverCallOptions): Promise<TreeQueues> {
    return decode(readQueues, await this.call(FIND_QUEUES, writeQueuesRequest({ tree, minSlot }), options));
  }

  /** Also throws ProverCallError for an invalid response. */
  async findQueueElements(
    tree: Pubkey,
    queues: QueueElementsRequest,
    minSlot: Slot,
    options?: ProverCallOptions,
  ): Promise<QueueElements> {
    const assembler = new ElementsAssembler();
    await this.receive(
      FIND_QUEUE_ELEMENTS,
      writeElementsRequest({ tree, queues, minSlot }),
      (part) => {
        decode((wire) => {
          assembler.add(wire);
        }, part);
      },
      options,
    );
    return decode(() => assembler.finish(), null);
  }

  private call<Request, Response>(
    { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Response>,
    request: Request,
    options?: ProverCallOptions,
  ): Promise<Response> {
    return this.track<Response>(path, options, (metadata, deadline, settle) =>
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, response) => {
          if (error) settle.reject(toProverError(error));
          else if (response) settle.resolve(response);
          else settle.reject(new ProverCallError('the prover sent no response'));
        },
      ),
    );
  }

  /** Calls a method with a stream of responses. @param take called for each response; an error that it throws ends the call */
  private receive<Request, Response>(
    { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Response>,
    request: Request,
    take: (response: Response) => void,
    options?: ProverCallOptions,
  ): Promise<undefined> {
    return this.track<undefined>(path, options, (metadata, deadline, settle) => {
      const { client } = this;
      const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata, {
        deadline,
      });
      call.on('data', (response: Response) => {
        try {
          take(response);
        } catch (error) {
          settle.reject(error as Error);
          call.cancel();
        }
      });
      call.on('error', (error: ServiceError) => {
        settle.reject(toProverError(error));
      });
      call.on('end', () => {
        settle.resolve(undefined);
      });
      return call;
    });
  }

  /** Starts a call in a span. It is cancelled when the signal is aborted or the client is closed. */
  private track<Result>(path: string, options: ProverCallOptions | undefined, start: Start<Result>): Promise<Result> {
    const method = path.slice(1);
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
    return inSpan(method, { kind: 'client', attributes }, () => this.waitForEnd(options, start));
  }

  private async waitForEnd<Result>(options: ProverCallOptions | undefined, start: Start<Result>): Promise<Result> {
    const signal = options?.signal;
    if (this.isClosed) throw new ProverUnavailableError('the client is closed');
    if (signal?.aborted) throw new ProverUnavailableError('the request was aborted');
    const { promise, ...settle } = withResolvers<Result>();
    const call = start(metadataOf(options), wallClock() + this.options.deadlineMs, settle);
    const cancel = () => {
      call.cancel();
    };
    this.calls.add(call);
    signal?.addEventListener('abort', cancel);
    try {
      return await promise;
    } finally {
      this.calls.delete(call);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Closes the connections. Pending calls fail with ProverUnavailableError. */
  close(): void {
    this.isClosed = true;
    for (const call of this.calls) call.cancel();
    this.client.close();
  }
}

/** The id of the client's request, and the active span. */
function metadataOf(options: ProverCallOptions | undefined): Metadata {
  const metadata = new Metadata();
  if (options?.requestId !== undefined) metadata.set(REQUEST_ID_KEY, options.requestId);
  for (const [name, value] of Object.entries(traceHeaders())) metadata.set(name, value);
  return metadata;
}

type OpenCall = Pick<ClientUnaryCall, 'cancel'>;

/** Starts a call. @param deadline Unix milliseconds */
type Start<Result> = (metadata: Metadata, deadline: number, settle: Settle<Result>) => OpenCall;

interface Settle<Result> {
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

/** As `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<Result>(): Settle<Result> & { promise: Promise<Result> } {
  let settle: Settle<Result> | undefined;
  const promise = new Promise<Result>((resolve, reject) => (settle = { resolve, reject }));
  if (!settle) throw new Error('a promise calls its executor at once');
  return { promise, ...settle };
}

/** @throws ProverCallError if the response cannot be read */
function decode<Wire, Proofs>(read: (response: Wire) => Proofs, response: Wire): Proofs {
  try {
    return read(response);
  } catch (error) {
    throw new ProverCallError(`the prover's response cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}
