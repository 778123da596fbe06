import { createWriteStream, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { type GeneratedBlock, generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { type Command, UsageError } from './command';

const DEFAULTS = { seed: '1', slots: '500', 'first-slot': '1000', transactions: '4' };

export const generateCommand: Command = {
  name: 'generate',
  synopsis: '--out LEDGER [options]',
  summary: 'write a generated ledger with every kind of compression event',
  help: `The same options produce the same ledger, byte for byte.

  --out FILE          ledger to write; gzipped if the name ends in .gz
  --trees FILE        also write the trees of the ledger, in the format of TREES_FILE
  --seed N            seed of the random choices [${DEFAULTS.seed}]
  --slots N           number of slots, including skipped ones [${DEFAULTS.slots}]
  --first-slot N      first slot [${DEFAULTS['first-slot']}]
  --transactions N    mean number of compression transactions per slot [${DEFAULTS.transactions}]`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        out: { type: 'string' },
        trees: { type: 'string' },
        seed: { type: 'string', default: DEFAULTS.seed },
        slots: { type: 'string', default: DEFAULTS.slots },
        'first-slot': { type: 'string', default: DEFAULTS['first-slot'] },
        transactions: { type: 'string', default: DEFAULTS.transactions },
      },
    });
    if (values.out === undefined) throw new UsageError('generate requires --out FILE');
    const options = {
      seed: toCount(values.seed, '--seed'),
      slots: toCount(values.slots, '--slots'),
      firstSlot: toCount(values['first-slot'], '--first-slot'),
      transactionsPerSlot: toCount(values.transactions, '--transactions'),
    };
    const blocks = await writeLedger(values.out, generateLedger(options), options.firstSlot + options.slots);
    if (values.trees !== undefined) writeFileSync(values.trees, formatTreesFile(generatedTrees()));
    console.log(`${blocks} blocks written to ${values.out}`);
    return 0;
  },
};

function toCount(text: string, option: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new UsageError(`${option} ${text} is not a whole number`);
  return number;
}

async function writeLedger(path: string, ledger: Iterable<GeneratedBlock>, endSlot: number): Promise<number> {
  let blocks = 0;
  function* lines() {
    for (const { slot, json } of ledger) {
      blocks++;
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kslot ${slot}, ${endSlot - slot} to go`);
      yield `${json}\n`;
    }
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
  const file = createWriteStream(path);
  if (path.endsWith('.gz')) await pipeline(Readable.from(lines()), createGzip({ level: 9 }), file);
  else await pipeline(Readable.from(lines()), file);
  return blocks;
}
