import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, LedgerBlockSource } from '@fresnel/adapters/chain';
import { GENERATED_PROGRAMS, generatedTrees } from '@fresnel/ledger-generator';

/** Folder of the demo ledger, found from the sources and from the build. */
const FIXTURES = join(findRoot(__dirname), 'fixtures', 'demo');
/** Number of blocks that are available at once. The others follow at the pace of a live chain. */
const HISTORY_BLOCKS = 300;
const SLOT_MS = 200;
/** Between two requests, until the first of them is answered. */
const POLL_MS = 10;

/** Keys of the demo ledger for example requests. */
interface DemoKeys {
  mint: string;
  tokenOwner: string;
  owner: string;
  account: string;
  signature: string;
  newAddress: string;
}

/** Opens the demo ledger as a live chain. */
export function openDemoChain(): Chain {
  const live = { blocksAtOnce: HISTORY_BLOCKS, slotMs: SLOT_MS };
  const path = join(FIXTURES, 'ledger.ndjson.gz');
  const { accountCompression } = GENERATED_PROGRAMS;
  const source = new LedgerBlockSource({ path, accountCompression, live });
  return { source, treeSource: null, trees: generatedTrees() };
}

/**
 * Waits until the index has data, then prints its URL, a first request with its response, and further requests.
 *
 * @param command command that indexes a real chain
 */
export async function showDemo(url: string, command: string, signal: AbortSignal): Promise<void> {
  const keys = JSON.parse(readFileSync(join(FIXTURES, 'keys.json'), 'utf8')) as DemoKeys;
  const first = request('getCompressedMintTokenHolders', { mint: keys.mint, limit: 3 });
  const answer = await requestUntilIndexed(url, first, signal);
  if (answer === null) return;
  const others = [
    request('getCompressedAccount', { hash: keys.account }),
    request('getTransactionWithCompressionInfo', { signature: keys.signature }),
    request('getCompressionSignaturesForOwner', { owner: keys.owner, limit: 3 }),
    request('getCompressionSignaturesForTokenOwner', { owner: keys.tokenOwner, limit: 3 }),
    request('getMultipleNewAddressProofs', [keys.newAddress]),
    request('getIndexerSlot', []),
  ];
  console.log(`
Fresnel is listening at ${url} and indexes the demo ledger, one slot every ${SLOT_MS} ms.

A first request: the largest holders of a token.

  ${toCurl(url, first)}

  ${answer}

More requests:

${others.map((body) => `  ${toCurl(url, body)}`).join('\n')}

See what is indexed in a browser at ${url}, and try the methods at ${url}/docs. Index a real chain with SOLANA_RPC_URL=https://… ${command}.
Press Ctrl-C to stop.
`);
}

function request(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'demo', method, params });
}

function toCurl(url: string, body: string): string {
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}

/** @returns null when the signal aborts first */
async function requestUntilIndexed(url: string, body: string, signal: AbortSignal): Promise<string | null> {
  while (!signal.aborted) {
    const answer = await post(url, body);
    if (answer.includes('"balance"')) return answer;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

/** @returns an empty text while the server does not respond */
async function post(url: string, body: string): Promise<string> {
  try {
    // Not `fetch`: to load it takes 30 ms of the time until the first blocks are indexed.
    const outgoing = httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    const [response] = (await once(outgoing.end(body), 'response')) as [IncomingMessage];
    return await text(response);
  } catch {
    return '';
  }
}

function findRoot(from: string): string {
  const folder = dirname(dirname(from));
  return folder.endsWith('dist') ? dirname(folder) : folder;
}
