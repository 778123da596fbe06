import {
  PROVER_CLIENT,
  type ProverCallOptions,
  type ProverClient,
  type QueueRequest,
  readElementsRequest,
  readLeavesRequest,
  readQueuesRequest,
  readRequest,
  writeElements,
  writeLeaves,
  writeProofs,
  writeQueues,
} from '@fresnel/adapters/prover-client';
import {
  FIND_QUEUE_ELEMENTS,
  FIND_QUEUES,
  type FindQueueElementsRequest,
  type FindQueuesRequest,
  type FindQueuesResponse,
  MAX_PROVER_ADDRESSES,
  MAX_PROVER_LEAVES,
  MAX_QUEUE_ELEMENTS,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
  PROVER_SERVICE,
  type ProveLeavesRequest,
  type ProveLeavesResponse,
  type ProveNewAddressesRequest,
  type ProveNewAddressesResponse,
  type FindQueueElementsResponse,
} from '@fresnel/contracts/prover';
import { FresnelError, MalformedTextError } from '@fresnel/domain/primitives';
import { inSpan, LOGGER, type Logger, Registry, withRemoteParent, yieldAfter } from '@fresnel/platform';
import { Controller, Inject } from '@nestjs/common';
import { type Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { GrpcMethod } from '@nestjs/microservices';
import { from, type Observable } from 'rxjs';
import { createProverServerMetrics, type ProverServerMetrics } from './prover-server.metrics';
import { requestIdOf } from './request-id';

/** Longest turn of the event loop in which the parts of an answer are written. */
const MAX_TURN_MS = 2;

/** Answers the calls of prover.v1.proto. */
@Controller()
export class ProverController {
  private readonly metrics: ProverServerMetrics;

  constructor(
    @Inject(PROVER_CLIENT) private readonly prover: ProverClient,
    @Inject(LOGGER) private readonly logger: Logger,
    registry: Registry,
  ) {
    this.metrics = createProverServerMetrics(registry);
  }

  @GrpcMethod(PROVER_SERVICE, 'ProveNewAddresses')
  proveNewAddresses(
    request: ProveNewAddressesRequest,
    metadata: Metadata,
    call: CancellableCall,
  ): Promise<ProveNewAddressesResponse> {
    return this.answer(PROVE_NEW_ADDRESSES, metadata, async () => {
      const { tree, addresses, minSlot } = readRequest(request);
      requireAtMost(addresses, MAX_PROVER_ADDRESSES, 'addresses');
      return writeProofs(await this.prover.proveNewAddresses(tree, addresses, minSlot, optionsOf(metadata, call)));
    });
  }

  @GrpcMethod(PROVER_SERVICE, 'ProveLeaves')
  proveLeaves(request: ProveLeavesRequest, metadata: Metadata, call: CancellableCall): Promise<ProveLeavesResponse> {
    return this.answer(PROVE_LEAVES, metadata, async () => {
      const { tree, leafIndices, minSlot } = readLeavesRequest(request);
      requireAtMost(leafIndices, MAX_PROVER_LEAVES, 'leaf indices');
      return writeLeaves(await this.prover.proveLeaves(tree, leafIndices, minSlot, optionsOf(metadata, call)));
    });
  }

  @GrpcMethod(PROVER_SERVICE, 'FindQueues')
  findQueues(request: FindQueuesRequest, metadata: Metadata, call: CancellableCall): Promise<FindQueuesResponse> {
    return this.answer(FIND_QUEUES, metadata, async () => {
      const { tree, minSlot } = readQueuesRequest(request);
      return writeQueues(await this.prover.findQueues(tree, minSlot, optionsOf(metadata, call)));
    });
  }

  /** Reads everything before the first part is sent, so that a call that fails has no parts. */
  @GrpcMethod(PROVER_SERVICE, 'FindQueueElements')
  async findQueueElements(
    request: FindQueueElementsRequest,
    metadata: Metadata,
    call: CancellableCall,
  ): Promise<Observable<FindQueueElementsResponse>> {
    const elements = await this.answer(FIND_QUEUE_ELEMENTS, metadata, () => {
      const { tree, queues, minSlot } = readElementsRequest(request);
      for (const queue of [queues.outputs, queues.inputs, queues.addresses]) requireElements(queue);
      return this.prover.findQueueElements(tree, queues, minSlot, optionsOf(metadata, call));
    });
    return from(inTurns(writeElements(elements)));
  }

  /** Answers a call in a span, a child of the span that the client sends. */
  private answer<Response>(
    { path }: { path: string },
    metadata: Metadata,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    const method = path.slice(1);
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
    return withRemoteParent(metadata.getMap(), () =>
      inSpan(method, { kind: 'server', attributes }, () => this.measure(metadata, answer)),
    );
  }

  /** Measures the duration of a call, by its outcome, and logs it. */
  private async measure<Response>(metadata: Metadata, answer: () => Promise<Response>): Promise<Response> {
    const stopTimer = this.metrics.seconds.startTimer();
    let outcome = 'answered';
    try {
      return await answer();
    } catch (error) {
      outcome = error instanceof FresnelError ? error.code : 'failed';
      throw error;
    } finally {
      const durationMs = stopTimer({ outcome }) * 1000;
      this.logger.debug({ requestId: requestIdOf(metadata), outcome, durationMs }, 'proof call answered');
    }
  }
}

/** gRPC reports the end of every call as a cancellation: by default, each signal would make an error with a stack of its own. */
const CALL_ENDED = new Error('the call has ended');

type CancellableCall = Pick<ServerUnaryCall<unknown, unknown>, 'on' | 'cancelled'>;

function requireAtMost(items: readonly unknown[], maximum: number, name: string): void {
  if (items.length > maximum) throw new MalformedTextError(`${items.length} ${name} are more than ${maximum}`);
}

/** Lets other calls run between the parts of an answer. */
async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  for (const item of items) {
    yield item;
    await yieldAfter(MAX_TURN_MS);
  }
}

function requireElements(queue: QueueRequest | null): void {
  if (!queue || queue.limit <= MAX_QUEUE_ELEMENTS) return;
  throw new MalformedTextError(`${queue.limit} entries are more than ${MAX_QUEUE_ELEMENTS}`);
}

/** The options with a signal that is aborted when the client cancels the call, or at its deadline. */
function optionsOf(metadata: Metadata, call: CancellableCall): ProverCallOptions {
  const cancellation = new AbortController();
  call.on('cancelled', () => {
    cancellation.abort(CALL_ENDED);
  });
  if (call.cancelled) cancellation.abort(CALL_ENDED);
  return { signal: cancellation.signal, requestId: requestIdOf(metadata) };
}
