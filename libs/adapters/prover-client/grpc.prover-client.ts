import {
  PROVE_NEW_ADDRESSES,
  MAX_PROVER_MESSAGE_BYTES,
  type ProveNewAddressesResponse,
} from '@fresnel/contracts/prover';
import { type Hash, messageOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { Client, type ClientUnaryCall, credentials, Metadata } from '@grpc/grpc-js';
import { toTarget } from './prover-address';
import { type NewAddressProofs, type ProverClient, ProverUnavailableError } from './prover-client';
import { ProverCallError, toProverError } from './prover-error';
import { type ProofRequest, readProofs, writeRequest } from './prover-wire';

const SERVICE = PROVE_NEW_ADDRESSES.path.split('/')[1];

/** Calls take turns among the provers; one that went away in the middle of a call is made up for by another. */
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

const CHANNEL = {
  'grpc.service_config': SERVICE_CONFIG,
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': MAX_PROVER_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_PROVER_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // A prover that is back is found within seconds, not within the two minutes that gRPC would wait.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
};

export interface GrpcProverClientOptions {
  /** As `toTarget` takes it. */
  address: string;
  /** After so long a call is given up. Longer than a prover waits for a slot. */
  deadlineMs: number;
}

/** Asks provers over the network. Connects when the first call is made. */
export class GrpcProverClient implements ProverClient {
  private readonly client: Client;
  private readonly calls = new Set<ClientUnaryCall>();
  private isClosed = false;

  /** @throws MalformedTextError for an address that is none */
  constructor(private readonly options: GrpcProverClientOptions) {
    this.client = new Client(toTarget(options.address), credentials.createInsecure(), CHANNEL);
  }

  /** Also throws ProverCallError, for an answer that no prover gives. */
  async proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<NewAddressProofs> {
    const response = await this.call({ tree, addresses, minSlot });
    try {
      return readProofs(response);
    } catch (error) {
      throw new ProverCallError(`the prover's answer cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }

  private call(request: ProofRequest): Promise<ProveNewAddressesResponse> {
    const { path, requestSerialize, responseDeserialize } = PROVE_NEW_ADDRESSES;
    const deadline = Date.now() + this.options.deadlineMs;
    return new Promise((answer, fail) => {
      if (this.isClosed) throw new ProverUnavailableError('the client is closed');
      const call = this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        writeRequest(request),
        new Metadata(),
        { deadline },
        (error, response) => {
          this.calls.delete(call);
          if (error) fail(toProverError(error));
          else if (response) answer(response);
          else fail(new ProverCallError('the prover answered nothing'));
        },
      );
      this.calls.add(call);
    });
  }

  /** Calls that are under way end as if the prover were away. */
  close(): void {
    this.isClosed = true;
    for (const call of this.calls) call.cancel();
    this.client.close();
  }
}
