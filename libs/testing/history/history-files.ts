import { createWriteStream, type WriteStream, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { type GeneratedBlock, generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { type FakeBlock } from '@fresnel/testing/chain';

/** No transaction that does not name the compression program. */
const OPTIONS = {
  seed: 5,
  slots: Infinity,
  weights: { failTransaction: 0, vote: 0, transferSol: 0, foreignPrograms: 0, forgeEvent: 0 },
};
/** As on mainnet. */
const TRANSACTIONS_PER_SLOT = 0.1;
/** The node has the blocks of so many slots. */
const RECENT_SLOTS = 2_000;
const LINK = /"parentSlot":\d+,"blockhash":"(\w+)","previousBlockhash":"\w+"/;

/** A generated chain in files, with little of it in memory. */
export interface HistoryFiles {
  /** The blocks that have transactions, linked to each other, for `fresnel replay`. */
  ledger: string;
  trees: string;
  /** The transactions as `getTransactionsForAddress` gives them, each with a comma and a newline at its end. */
  items: string;
  /** The slot of each transaction, its index there, and where it begins in `items`. One more offset ends the last one. */
  slots: number[];
  indexes: number[];
  offsets: number[];
  /** The newest blocks. */
  recent: FakeBlock[];
  first: number;
  tip: number;
}

/**
 * Writes a chain with as many transactions, and about ten times as many slots.
 *
 * @param perBlock transactions of a block, on average: mainnet has about one; more of them take less time
 */
export async function writeHistoryFiles(folder: string, transactions: number, perBlock = 1): Promise<HistoryFiles> {
  const [ledger, trees, items] = ['ledger.ndjson', 'trees.json', 'items.json'].map((name) => join(folder, name));
  writeFileSync(trees, formatTreesFile(generatedTrees()));
  const [blockFile, itemFile] = [createWriteStream(ledger), createWriteStream(items)];
  const [slots, indexes, offsets]: number[][] = [[], [], [0]];
  let recent: FakeBlock[] = [];
  const blocks = { transactionsPerSlot: perBlock, skippedShare: 1 - TRANSACTIONS_PER_SLOT / perBlock };
  for (const block of generateLedger({ ...OPTIONS, ...blocks })) {
    const { slot, facts } = block;
    if (facts.transactions.length === 0) continue;
    const json = recent.length === 0 ? block.json : linkTo(recent[recent.length - 1], block.json);
    recent = [...recent.filter((each) => each.slot > slot - RECENT_SLOTS), { slot, json }];
    await write(blockFile, `${json}\n`);
    const written = itemsOf(block);
    for (const [index, item] of written.entries()) {
      slots.push(slot);
      indexes.push(index);
      offsets.push(offsets[offsets.length - 1] + Buffer.byteLength(item));
    }
    await write(itemFile, written.join(''));
    if (slots.length >= transactions) break;
  }
  for (const file of [blockFile, itemFile]) await once(file.end(), 'close');
  const [first, tip] = [slots[0], slots[slots.length - 1]];
  return { ledger, trees, items, slots, indexes, offsets, recent, first, tip };
}

/** Makes a block the child of another one: those between them have no transactions. */
function linkTo(parent: FakeBlock, json: string): string {
  const [, parentHash] = LINK.exec(parent.json) ?? [];
  return json.replace(
    LINK,
    (_, hash: string) => `"parentSlot":${parent.slot},"blockhash":"${hash}","previousBlockhash":"${parentHash}"`,
  );
}

function itemsOf({ slot, facts: { blockTime, transactions } }: GeneratedBlock): string[] {
  const place = (index: number) => `"slot":${slot},"transactionIndex":${index},"blockTime":${blockTime}`;
  return transactions.map(({ members }, index) => `{${place(index)},${members}},\n`);
}

async function write(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}
