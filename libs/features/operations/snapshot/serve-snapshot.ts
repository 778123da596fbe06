import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Logger } from '@fresnel/platform';

export interface SnapshotServerOptions {
  folder: string;
  host: string;
  /** 0 for any free port. */
  port: number;
}

export interface SnapshotServer {
  url: string;
  close(): Promise<void>;
}

/** Files of a snapshot. Others in the folder, and files that are being written, are not served. */
const SERVED = /^\/(manifest(-[0-9a-f]{64})?\.json|slots-\d+-\d+\.jsonl\.gz)$/;

/** Serves the files of a snapshot, as any web server would. */
export async function serveSnapshot(
  { folder, host, port }: SnapshotServerOptions,
  logger: Logger,
): Promise<SnapshotServer> {
  const server = createServer((request, response) => {
    send(folder, request, response).catch((error: unknown) => {
      logger.debug({ err: error, path: request.url }, 'a client did not take a file');
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: listening } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${listening}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function send(folder: string, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = SERVED.exec(url)?.at(1);
  const path = file === undefined ? null : join(folder, file);
  const size = path && (await sizeOf(path));
  if (path === null || size === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('no such file\n');
  } else if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
  } else {
    const type = path.endsWith('.json') ? 'application/json' : 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': size });
    if (method === 'HEAD') response.end();
    else await pipeline(createReadStream(path), response);
  }
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
