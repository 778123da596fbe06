// Subscribes to everything with the client, in a pod of its own: `node client.js OPTIONS_FILE`. It writes a line of JSON for each
// message.

import { readFileSync } from 'node:fs';
import { FresnelClient, type Message } from '@fresnel/client';
import WebSocket from 'ws';
import { type SubscriberOptions } from './load-line';

const { url, from } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as SubscriberOptions;
const client = new FresnelClient(url.replace(/^http/, 'ws'), { WebSocket });

/** What `PodSubscriber` reads of a message. */
function lineOf({ type, slot, ...message }: Message): object {
  return {
    kind: 'message',
    type,
    slot,
    ...('index' in message && { index: message.index, signature: message.signature }),
  };
}

async function run(): Promise<void> {
  for await (const message of client.messages('all', { from, details: 'signatures' }))
    console.log(JSON.stringify(lineOf(message as Message)));
}

process.on('SIGTERM', () => process.exit(0));
void run();
