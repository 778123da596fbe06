// Sends JSON-RPC calls over and over, in a pod of its own: `node client.js OPTIONS_FILE`. It writes a line of JSON for each failed call,
// for each proof of a later slot than all before, and for its counts each second. An answer at an older slot than an answer from the
// tables that had arrived before the call is a failure, too, and so is a proof at an older slot than one from half a second before.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadLine, LoadOptions } from './load-line';

const TIMEOUT_MS = 30_000;
/** Each prover keeps for this long what it read of the position of the trees, so that another one may answer as of an earlier slot. */
const PROVER_MEMORY_MS = 500;

const { url, calls, workers, pauseMs } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as LoadOptions;
let answered = 0;
let failed = 0;
let newestProof = 0;
/** The oldest slot that the next answer from the tables, and the next proof, may have. */
const oldest = { tables: 0, proofs: 0 };

function write(line: LoadLine): void {
  console.log(JSON.stringify(line));
}

/** Every second worker keeps its connection, the others open one for each call. Nothing is sent again after a failure. */
async function work(number: number): Promise<never> {
  const agent = number % 2 === 0 ? new Agent({ keepAlive: true }) : false;
  for (let at = number; ; at++) {
    const { method, params } = calls[at % calls.length];
    const startedAt = Date.now();
    const isProof = method.includes('Proofs');
    const known = isProof ? oldest.proofs : oldest.tables;
    try {
      const slot = readSlot(await post(agent, JSON.stringify({ jsonrpc: '2.0', id: at, method, params })));
      if (slot !== null && slot < known) throw new Error(`slot ${slot} after slot ${known}`);
      answered++;
      if (slot !== null) noteSlot(slot, isProof);
    } catch (error) {
      failed++;
      write({ kind: 'failure', at: startedAt, durationMs: Date.now() - startedAt, method, reason: String(error) });
    }
    await sleep(pauseMs);
  }
}

function noteSlot(slot: number, isProof: boolean): void {
  const raiseProofs = () => (oldest.proofs = Math.max(oldest.proofs, slot));
  if (isProof) {
    reportProof(slot);
    setTimeout(raiseProofs, PROVER_MEMORY_MS);
  } else {
    oldest.tables = Math.max(oldest.tables, slot);
    raiseProofs();
  }
}

function reportProof(slot: number): void {
  if (slot <= newestProof) return;
  newestProof = slot;
  write({ kind: 'proof', at: Date.now(), slot });
}

/** @returns the slot of an answer, which may be the answer itself; null if it has none @throws for an error */
function readSlot(text: string): number | null {
  const { result, error } = JSON.parse(text) as { result?: { context?: { slot: number } } | number; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return typeof result === 'number' ? result : (result?.context?.slot ?? null);
}

function post(agent: Agent | false, body: string): Promise<string> {
  return new Promise((done, fail) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = request(url, { method: 'POST', headers, agent, timeout: TIMEOUT_MS }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.on('error', fail).on('end', () => {
        done(text);
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', fail).end(body);
  });
}

process.on('SIGTERM', () => process.exit(0));
setInterval(() => {
  write({ kind: 'count', at: Date.now(), answered, failed });
}, 1_000);
for (let number = 0; number < workers; number++) void work(number);
