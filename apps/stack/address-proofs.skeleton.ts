import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

const ROOT = join(__dirname, '../..');
/** A proof of a tree with 26 levels: in a message, and as text. */
const PROOF_BYTES = 1_100;
const PROOF_TEXT = 'x'.repeat(1_800);
const PATH = '/skeleton.Prover/Prove';
const KEY = 'skeleton';
const asIs = (bytes: Buffer) => bytes;

/**
 * Two processes that do what every proof needs, and nothing else: a request over HTTP, one statement of Postgres, one call over gRPC, one
 * command of Redis. They decode, check, limit, measure and log nothing.
 */
export async function startSkeleton(databaseUrl: string, redisUrl: string) {
  const prover = await start('prover', redisUrl);
  const gateway = await start('gateway', databaseUrl, prover.address);
  return {
    url: gateway.address,
    close: () => {
      for (const { child } of [gateway, prover]) child.kill();
    },
  };
}

async function start(...args: string[]): Promise<{ child: ChildProcess; address: string }> {
  const execArgv = ['-r', join(ROOT, 'tools/register.cjs')];
  const child = fork(__filename, args, { cwd: ROOT, execArgv });
  const [address] = (await once(child, 'message')) as [string];
  return { child, address };
}

async function serveProofs(redisUrl: string): Promise<string> {
  const redis = new Redis(redisUrl);
  await redis.set(KEY, Buffer.alloc(PROOF_BYTES, 7));
  const server = new Server();
  const method = { path: PATH, requestStream: false, responseStream: false } as const;
  const codecs = {
    ...{ requestSerialize: asIs, requestDeserialize: asIs },
    ...{ responseSerialize: asIs, responseDeserialize: asIs },
  };
  server.addService(
    { prove: { ...method, ...codecs } },
    {
      prove: (_call: unknown, answer: (error: null, proof: Buffer | null) => void) => {
        void redis.getBuffer(KEY).then((proof) => {
          answer(null, proof);
        });
      },
    },
  );
  const port = await new Promise<number>((bound, fail) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, number) => {
      if (error) fail(error);
      else bound(number);
    });
  });
  return `127.0.0.1:${port}`;
}

async function serveRequests(databaseUrl: string, prover: string): Promise<string> {
  const pool = new Pool({ connectionString: databaseUrl });
  const client = new Client(prover, credentials.createInsecure());
  const prove = (request: Buffer) =>
    new Promise<Buffer>((answered, fail) => {
      client.makeUnaryRequest(PATH, asIs, asIs, request, (error, proof) => {
        if (error) fail(error);
        else answered(proof ?? Buffer.alloc(0));
      });
    });

  @Controller()
  class SkeletonController {
    @Post()
    async answer(@Body() { id }: { id: number }): Promise<object> {
      const { rows } = await pool.query<object>({ name: 'slot', text: 'SELECT indexed_slot FROM indexer_state' });
      const { length } = await prove(Buffer.alloc(70, 7));
      return { jsonrpc: '2.0', id, result: { context: rows[0], value: [{ length, proof: PROOF_TEXT }] } };
    }
  }

  @Module({ controllers: [SkeletonController] })
  class SkeletonModule {}

  const app = await NestFactory.create<NestFastifyApplication>(SkeletonModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

if (require.main === module) {
  const [role, serverUrl, prover] = process.argv.slice(2);
  const started = role === 'prover' ? serveProofs(serverUrl) : serveRequests(serverUrl, prover);
  void started.then((address) => process.send?.(address));
}
