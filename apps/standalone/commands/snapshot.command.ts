import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createLogger, describeConfig, listenForShutdown, loadConfig, splitService } from '@fresnel/platform';
import { APP_CONFIG } from '../app.config';
import { type Command, UsageError } from './command';
import { loadAction, makeAction, serveAction, type SnapshotAction, verifyAction } from './snapshot-actions';

const SERVE_PORT = '8790';
/** Random transactions that are compared with the node if no hash says that the manifest is the right one. */
const SAMPLES = '200';

export const snapshotCommand: Command = {
  name: 'snapshot',
  synopsis: 'make|load|verify|serve',
  summary: 'copy an index: write it to files, and start another one from them',
  help: `  make FOLDER             write the transactions of an index, which may be in use, and print the hash of the manifest
                          A folder that has a snapshot, or a part of one, is continued.
  load [MIRROR...]        start an index from a snapshot, prove it against the chain of SOLANA_RPC_URL, and follow that
                          It can be interrupted at any time, also by a crash: the same command resumes.
  verify MIRROR...        check the files of a snapshot; with SOLANA_RPC_URL also last block, roots and random transactions
  serve FOLDER            give the files of a snapshot to others over HTTP, as any web server or bucket would
      --host HOST         address to listen at (default 127.0.0.1)
      --port PORT         0 for any free port (default ${SERVE_PORT})

  --manifest-sha256 HEX   load, verify: accept this manifest only
  --samples N             load, verify: random transactions to compare with the node (default ${SAMPLES}, with a hash 0)
  --json                  make, load, verify: write JSON

MIRROR is a folder, or the URL of one. What a mirror cannot give is asked of the next one. Without MIRROR, those of HISTORY_URL are read.

Exit code of load: 0 if history is complete; 3 if it lacks something, as with "fresnel backfill"; 1 if the snapshot is refused.

Environment variables:
${describeConfig(APP_CONFIG)}`,
  async run([name, ...args]) {
    const act = actionOf(name, args);
    const config = loadConfig(APP_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const shutdown = listenForShutdown(logger);
    try {
      return await act({ config, logger, shutdown });
    } catch (error) {
      if (error !== shutdown.reason) throw error;
      console.log('interrupted; run the same command to resume');
      return 0;
    }
  },
};

function actionOf(name: string | undefined, args: string[]): SnapshotAction {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'manifest-sha256': { type: 'string' },
      samples: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: SERVE_PORT },
      json: { type: 'boolean', default: false },
    },
  });
  const { json, host } = values;
  const sha256 = toSha256(values['manifest-sha256']);
  const samples = toCount('--samples', values.samples ?? (sha256 === null ? SAMPLES : '0'));
  if (name === 'make') return makeAction(onlyFolder(name, positionals), json);
  if (name === 'serve') return serveAction({ folder: onlyFolder(name, positionals), host, port: toPort(values.port) });
  const options = { mirrors: positionals.map(toMirror), sha256, samples, json };
  if (name === 'load') return loadAction(options);
  if (name !== 'verify') throw new UsageError('snapshot requires one of make, load, verify and serve');
  if (positionals.length === 0) throw new UsageError('snapshot verify requires a MIRROR');
  return verifyAction(options);
}

function onlyFolder(name: string, positionals: readonly string[]): string {
  if (positionals.length !== 1) throw new UsageError(`snapshot ${name} requires one FOLDER`);
  return resolve(positionals[0]);
}

/** @returns a URL with `snapshot+` before it */
function toMirror(text: string): string {
  const { url } = splitService(text);
  if (!/^[a-z]+:\/\//.test(url)) return `snapshot+${pathToFileURL(resolve(url)).href}`;
  if (/^(https?|file):/.test(url) && URL.canParse(url)) return `snapshot+${url}`;
  throw new UsageError(`${text} is neither a folder nor a URL with http, https or file`);
}

function toSha256(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new UsageError('--manifest-sha256 requires 64 hexadecimal digits');
  return text.toLowerCase();
}

function toPort(text: string): number {
  const port = toCount('--port', text);
  if (port > 65_535) throw new UsageError(`--port ${text} is no port`);
  return port;
}

function toCount(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} requires a number`);
  return Number(text);
}
