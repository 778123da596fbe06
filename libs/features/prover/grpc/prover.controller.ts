import { PROVER_CLIENT, type ProverClient, readRequest, writeProofs } from '@fresnel/adapters/prover-client';
import {
  MAX_PROVER_ADDRESSES,
  PROVER_SERVICE,
  type ProveNewAddressesRequest,
  type ProveNewAddressesResponse,
} from '@fresnel/contracts/prover';
import { FresnelError, MalformedTextError } from '@fresnel/domain/primitives';
import { Controller, Inject } from '@nestjs/common';
import { type Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { GrpcMethod } from '@nestjs/microservices';
import { type ProverServerMetrics } from './prover-server.metrics';

/** Injection token of the metrics. */
export const PROVER_SERVER_METRICS = Symbol('ProverServerMetrics');

/** Answers the calls of prover.v1.proto. */
@Controller()
export class ProverController {
  constructor(
    @Inject(PROVER_CLIENT) private readonly prover: ProverClient,
    @Inject(PROVER_SERVER_METRICS) private readonly metrics: ProverServerMetrics,
  ) {}

  @GrpcMethod(PROVER_SERVICE, 'ProveNewAddresses')
  async proveNewAddresses(
    request: ProveNewAddressesRequest,
    _metadata: Metadata,
    call: ServerUnaryCall<ProveNewAddressesRequest, ProveNewAddressesResponse>,
  ): Promise<ProveNewAddressesResponse> {
    const stopTimer = this.metrics.seconds.startTimer();
    try {
      const response = await this.answer(request, cancellationOf(call));
      stopTimer({ outcome: 'proven' });
      return response;
    } catch (error) {
      stopTimer({ outcome: error instanceof FresnelError ? error.code : 'failed' });
      throw error;
    }
  }

  private async answer(request: ProveNewAddressesRequest, signal: AbortSignal): Promise<ProveNewAddressesResponse> {
    const { tree, addresses, minSlot } = readRequest(request);
    if (addresses.length > MAX_PROVER_ADDRESSES) {
      throw new MalformedTextError(`${addresses.length} addresses are more than ${MAX_PROVER_ADDRESSES}`);
    }
    return writeProofs(await this.prover.proveNewAddresses(tree, addresses, minSlot, signal));
  }
}

/** A signal that is aborted when the client cancels the call, or at its deadline. */
function cancellationOf(call: Pick<ServerUnaryCall<unknown, unknown>, 'on' | 'cancelled'>): AbortSignal {
  const cancellation = new AbortController();
  call.on('cancelled', () => {
    cancellation.abort();
  });
  if (call.cancelled) cancellation.abort();
  return cancellation.signal;
}
