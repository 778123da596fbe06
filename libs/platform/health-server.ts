import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { messageOf } from '@fresnel/domain/primitives';
import { type Registry } from 'prom-client';

export interface HealthServerOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  registry: Registry;
  /** Returns the reasons why the process cannot do its work, one sentence each; empty if it is ready. */
  findFaults: () => Promise<string[]>;
  /** Returns the reasons why only a restart can help, one sentence each; empty if the process is live. */
  findStuck: () => string[];
}

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

/** Serves `/health/live`, `/health/ready` and `/metrics` at a port that is not exposed to clients. */
export async function startHealthServer({
  host,
  port,
  registry,
  findFaults,
  findStuck,
}: HealthServerOptions): Promise<HealthServer> {
  const pages: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/health/live': (response) => {
      const reasons = findStuck();
      if (reasons.length === 0) return sendJson(response, 200, { status: 'live' });
      return sendJson(response, 503, { status: 'stuck', reasons });
    },
    '/health/ready': async (response) => {
      const reasons = await findFaults().catch((error: unknown) => [messageOf(error)]);
      if (reasons.length === 0) return sendJson(response, 200, { status: 'ready' });
      return sendJson(response, 503, { status: 'not-ready', reasons });
    },
    '/metrics': async (response) => {
      response.setHeader('content-type', registry.contentType);
      response.end(await registry.metrics());
    },
  };
  const server = createServer((request, response) => {
    const page = new Map(Object.entries(pages)).get(request.url ?? '');
    const isKnown = page && request.method === 'GET';
    const sent = isKnown ? page(response) : sendJson(response, 404, { error: 'no such page' });
    sent.catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendJson(response: ServerResponse, status: number, body: object): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
  return Promise.resolve();
}
