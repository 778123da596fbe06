import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, LedgerBlockSource } from '@fresnel/adapters/chain';
import { generatedTrees } from '@fresnel/ledger-generator';

/** The project's own folder, above this one in the sources and in what is built from them. */
const FIXTURES = join(findRoot(__dirname), 'fixtures', 'demo');
/** So much of the ledger is there at once; the rest comes like a chain that is going on. */
const HISTORY_BLOCKS = 300;
const SLOT_MS = 400;

/** Keys in the demo ledger that are worth asking about. */
interface DemoKeys {
  mint: string;
  tokenOwner: string;
  owner: string;
  account: string;
  signature: string;
  newAddress: string;
}

/** The demo ledger as a live chain. */
export function openDemoChain(): Chain {
  const live = { blocksAtOnce: HISTORY_BLOCKS, slotMs: SLOT_MS };
  const source = new LedgerBlockSource({ path: join(FIXTURES, 'ledger.ndjson.gz'), live });
  return { source, treeSource: null, trees: generatedTrees() };
}

/**
 * Shows where the index answers, a first request with its answer, and what to try next.
 *
 * @param command what runs this on a chain
 */
export async function showDemo(url: string, command: string, signal: AbortSignal): Promise<void> {
  const keys = JSON.parse(readFileSync(join(FIXTURES, 'keys.json'), 'utf8')) as DemoKeys;
  const first = request('getCompressedMintTokenHolders', { mint: keys.mint, limit: 3 });
  const answer = await askUntilIndexed(url, first, signal);
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
Fresnel answers at ${url}: the demo ledger, one slot every ${SLOT_MS} ms.

A first request: the largest holders of a token.

  ${toCurl(url, first)}

  ${answer}

More to try:

${others.map((body) => `  ${toCurl(url, body)}`).join('\n')}

In a browser: ${url}/docs. A real chain: SOLANA_RPC_URL=https://… ${command}. Ctrl-C ends it.
`);
}

function request(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'demo', method, params });
}

function toCurl(url: string, body: string): string {
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}

/** @returns null when the signal says stop first */
async function askUntilIndexed(url: string, body: string, signal: AbortSignal): Promise<string | null> {
  while (!signal.aborted) {
    const text = await ask(url, body);
    if (text.includes('"balance"')) return text;
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

/** @returns nothing while nobody answers */
async function ask(url: string, body: string): Promise<string> {
  try {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return await response.text();
  } catch {
    return '';
  }
}

function findRoot(from: string): string {
  const folder = dirname(dirname(from));
  return folder.endsWith('dist') ? dirname(folder) : folder;
}
