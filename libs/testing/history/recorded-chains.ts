import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encodeBase58, parsePubkey, type Pubkey } from '@fresnel/domain/primitives';
import { generatedTrees } from '@fresnel/ledger-generator';
import { type FakeAccount, type FakeBlock } from '@fresnel/testing/chain';
import { type Environment, type RpcCall } from '@fresnel/testing/stack';
import { accountsOf } from './tree-accounts';

/** Blocks without transactions that follow a recorded chain, so that an anchor is above it. */
const BLOCKS_AFTER = 100;

/** A chain in files, and what to ask about it. */
interface RecordedChain {
  name: string;
  read: () => {
    blocks: FakeBlock[];
    accounts: (FakeAccount & { key: Pubkey })[];
    /** Environment variables of an index of the chain, apart from the URLs of its sources. */
    env: Environment;
    questions: RpcCall[];
  };
}

/** The first blocks of the demo ledger. Its trees are as they were created. */
const DEMO_CHAIN: RecordedChain = { name: 'the demo ledger', read: readDemo };

const DEMO = join(__dirname, '..', '..', '..', 'fixtures', 'demo');
const DEMO_BLOCKS = 150;

function readDemo() {
  const lines = readText(join(DEMO, 'ledger.ndjson.gz')).split('\n').slice(0, DEMO_BLOCKS);
  const blocks = lines.map((json) => ({ slot: (JSON.parse(json) as { slot: number }).slot, json }));
  const keys = readJson(join(DEMO, 'keys.json')) as Record<string, string>;
  const { account: hash, owner, tokenOwner, mint, signature, newAddress } = keys;
  const proofs = ['getCompressedAccountProof', 'getCompressedAccountProofV2'];
  const ofOwner = ['getCompressedAccountsByOwnerV2', 'getCompressionSignaturesForOwner', 'getCompressedBalanceByOwner'];
  const ofTokenOwner = ['getCompressedTokenAccountsByOwnerV2', 'getCompressionSignaturesForTokenOwner'];
  return {
    blocks: followed(blocks, (slot) => encodeBase58(createHash('sha256').update(String(slot)).digest())),
    accounts: generatedTrees().flatMap((info) => accountsOf({ info, waiting: [], outputQueueEnd: 0n })),
    env: { INGEST_START_SLOT: String(blocks[0].slot) },
    questions: [
      ...['getCompressedAccount', ...proofs].map((method) => ({ method, params: { hash } })),
      ...ofOwner.map((method) => ({ method, params: { owner } })),
      ...ofTokenOwner.map((method) => ({ method, params: { owner: tokenOwner } })),
      { method: 'getCompressedMintTokenHolders', params: { mint } },
      { method: 'getTransactionWithCompressionInfo', params: { signature } },
      { method: 'getMultipleNewAddressProofs', params: [newAddress] },
      { method: 'getLatestCompressionSignatures', params: {} },
    ],
  };
}

interface Scenario {
  id: string;
  programs: string;
  slots: { first: number };
  emptyBlocks?: { slot: number; blockTime: number }[];
}

type Programs = Record<
  `${'compression' | 'system' | 'token' | 'registry' | 'noop'}Program` | 'defaultAddressTree',
  string
>;

interface RecordedTransaction {
  transaction: unknown;
  meta: unknown;
  version?: unknown;
}

/** The recorded chains of the environment variable `CONFORMANCE_DIR`; without it, the demo ledger. */
export function listRecordedChains(): RecordedChain[] {
  const { CONFORMANCE_DIR } = process.env;
  if (CONFORMANCE_DIR === undefined) return [DEMO_CHAIN];
  const folder = join(CONFORMANCE_DIR, 'conformance');
  const { scenarios } = readJson(join(folder, 'manifest.json')) as { scenarios: Scenario[] };
  return scenarios.map((scenario) => ({ name: scenario.id, read: () => readScenario(folder, scenario) }));
}

function readScenario(folder: string, { id, programs: set, slots, emptyBlocks = [] }: Scenario) {
  const files = readdirSync(join(folder, id));
  const hashOf = (slot: number) => encodeBase58(createHash('sha256').update(`zkc-conformance:${id}:${slot}`).digest());
  const recorded = files.flatMap((name): FakeBlock[] => {
    const slot = /^block-(\d+)\.json\.gz$/.exec(name)?.[1];
    return slot === undefined ? [] : [{ slot: Number(slot), json: readText(join(folder, id, name)) }];
  });
  const groups = files.includes('ledger.ndjson.gz') ? groupBySlot(readText(join(folder, id, 'ledger.ndjson.gz'))) : [];
  const built = buildBlocks([...groups, ...emptyBlocks.map((block) => ({ ...block, transactions: [] }))], hashOf);
  const programs = (readJson(join(folder, 'programs.json')) as Record<string, Programs>)[set];
  const isDefault = set === 'default';
  return {
    blocks: followed([...recorded, ...built], hashOf),
    accounts: isDefault ? readAccounts(join(folder, 'accounts')) : [],
    env: {
      INGEST_START_SLOT: String(slots.first),
      ACCOUNT_COMPRESSION_PROGRAM_ID: programs.compressionProgram,
      LIGHT_SYSTEM_PROGRAM_ID: programs.systemProgram,
      COMPRESSED_TOKEN_PROGRAM_ID: programs.tokenProgram,
      LIGHT_REGISTRY_PROGRAM_ID: programs.registryProgram,
      NOOP_PROGRAM_ID: programs.noopProgram,
      DEFAULT_ADDRESS_TREE: programs.defaultAddressTree,
      ...(isDefault ? {} : { TREES_FILE: join(folder, 'trees.json') }),
    },
    questions: (readJson(join(folder, id, 'expect.json')) as RpcCall[]).map(({ method, params }) => ({
      method,
      params,
    })),
  };
}

interface SlotTransactions {
  slot: number;
  blockTime: number | null;
  transactions: RecordedTransaction[];
}

function groupBySlot(lines: string): SlotTransactions[] {
  const groups = new Map<number, SlotTransactions>();
  for (const line of lines.split('\n').filter((text) => text !== '')) {
    const { slot, blockTime, transaction } = JSON.parse(line) as Omit<SlotTransactions, 'transactions'> & {
      transaction: RecordedTransaction;
    };
    const group = groups.get(slot) ?? { slot, blockTime, transactions: [] };
    const { transaction: bytes, meta, version } = transaction;
    group.transactions.push({ transaction: bytes, meta, version });
    groups.set(slot, group);
  }
  return [...groups.values()];
}

/** All other slots are skipped. */
function buildBlocks(groups: readonly SlotTransactions[], hashOf: (slot: number) => string): FakeBlock[] {
  const [first] = groups;
  return groups.map(({ slot, blockTime, transactions }, at) => {
    const parentSlot = at === 0 ? slot - 1 : groups[at - 1].slot;
    const links = { parentSlot, blockhash: hashOf(slot), previousBlockhash: hashOf(parentSlot) };
    const block = { ...links, blockTime, blockHeight: first.slot + at, transactions, rewards: [] };
    return { slot, json: JSON.stringify(block) };
  });
}

/** The blocks, and others without transactions after them. */
function followed(blocks: readonly FakeBlock[], hashOf: (slot: number) => string): FakeBlock[] {
  const last = blocks[blocks.length - 1];
  const { blockhash, blockTime, blockHeight } = JSON.parse(last.json) as Record<string, unknown>;
  const after = Array.from({ length: BLOCKS_AFTER }, (_, at) => {
    const slot = last.slot + 1 + at;
    const previousBlockhash = at === 0 ? blockhash : hashOf(slot - 1);
    const links = { parentSlot: slot - 1, blockhash: hashOf(slot), previousBlockhash };
    const block = { ...links, blockTime, blockHeight: Number(blockHeight) + 1 + at, transactions: [], rewards: [] };
    return { slot, json: JSON.stringify(block) };
  });
  return [...blocks, ...after];
}

function readAccounts(folder: string): (FakeAccount & { key: Pubkey })[] {
  return readdirSync(folder).map((name) => {
    const text = readText(join(folder, name));
    const { pubkey, account } = JSON.parse(text) as { pubkey: string; account: { owner: string; data: [string] } };
    return {
      key: parsePubkey(pubkey),
      owner: parsePubkey(account.owner),
      data: Buffer.from(account.data[0], 'base64'),
    };
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readText(path));
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}
