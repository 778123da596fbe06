import {
  FIND_QUEUE_ELEMENTS,
  FIND_QUEUES,
  MAX_PROVER_MESSAGE_BYTES,
  PROVE_LEAVES,
  PROVE_NEW_ADDRESSES,
  PROVER_PACKAGE,
  PROVER_SERVICE,
  type ProverTls,
} from '@fresnel/contracts/prover';
import { after } from '@fresnel/platform/time';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { HealthImplementation } from 'grpc-health-check';
import { type ProverConfig } from '../prover.config';

type ProverServerConfig = Pick<ProverConfig, 'PROVER_HOST' | 'PROVER_PORT' | 'PROVER_MAX_CONNECTION_AGE_MS'>;

export interface ProverServerOptions extends ProverServerConfig {
  /** Encrypts the connections, and accepts only clients with a certificate of the same authority. Default: neither. */
  tls?: ProverTls | null;
  /** How long open calls may take when the server closes. */
  closeTimeoutMs: number;
}

/** How long open calls of a connection may take after its maximum age. */
const CONNECTION_GRACE_MS = 10_000;

const SERVICE = `${PROVER_PACKAGE}.${PROVER_SERVICE}`;

/** Nest's gRPC server with the standard health service, the bound port, and a timeout for closing. */
export class ProverGrpcServer extends ServerGrpc {
  private readonly health = new HealthImplementation({ '': 'SERVING', [SERVICE]: 'SERVING' });
  private server: Server | undefined;
  /** The bound port; 0 before the server listens. */
  port = 0;

  constructor(private readonly settings: ProverServerOptions) {
    super({
      package: PROVER_PACKAGE,
      packageDefinition: {
        [SERVICE]: {
          ProveNewAddresses: PROVE_NEW_ADDRESSES,
          ProveLeaves: PROVE_LEAVES,
          FindQueues: FIND_QUEUES,
          FindQueueElements: FIND_QUEUE_ELEMENTS,
        },
      },
      gracefulShutdown: true,
    });
  }

  override async createClient(): Promise<Server> {
    const { PROVER_HOST: host, PROVER_PORT: port, tls } = this.settings;
    const server = new Server({
      'grpc.max_connection_age_ms': this.settings.PROVER_MAX_CONNECTION_AGE_MS,
      'grpc.max_connection_age_grace_ms': CONNECTION_GRACE_MS,
      'grpc.max_receive_message_length': MAX_PROVER_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_PROVER_MESSAGE_BYTES,
    });
    this.health.addToServer(server);
    this.port = await bind(server, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, toCredentials(tls));
    this.server = server;
    return server;
  }

  override async close(): Promise<void> {
    this.health.setStatus('', 'NOT_SERVING');
    this.health.setStatus(SERVICE, 'NOT_SERVING');
    const timer = after(this.settings.closeTimeoutMs, () => this.server?.forceShutdown());
    try {
      await super.close();
    } finally {
      timer.cancel();
    }
  }
}

function toCredentials(tls: ProverTls | null | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  return ServerCredentials.createSsl(Buffer.from(tls.ca), [pair], true);
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((bound, fail) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) fail(error);
      else bound(port);
    });
  });
}
