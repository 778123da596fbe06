import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = dirname(dirname(__dirname));
const TIMEOUT_MS = 300_000;

/** A program of a user, with the strictest settings: declarations of the package are checked as well. */
const PROGRAM = `import { type AccountV2, FresnelClient, type Methods, RpcClient, RpcError } from '@fresnel/client';

const rpc = new RpcClient('http://127.0.0.1:8784');
export const balance = async (owner: string): Promise<bigint> => (await rpc.call('getCompressedBalanceByOwner', { owner })).value;
export const lag = async (): Promise<number | null> => (await rpc.call('getIndexerStatus')).lagSlots;
export const capacity = async (tree: string): Promise<bigint | undefined> => (await rpc.call('getTreeStatus', { tree })).value?.capacity;
export type Page = Methods['getCompressedAccountsByOwnerV2']['result'];
export const first = (page: Page): AccountV2 | undefined => page.value.items[0];
export const isFinal = (error: unknown): boolean => error instanceof RpcError && error.isFinal;
export const newest = (url: string) => new FresnelClient(url).messages('all');
// @ts-expect-error -- required params
void rpc.call('getTreeStatus');
// @ts-expect-error -- an unknown method
void rpc.call('getTreeState', { tree: '' });
// @ts-expect-error -- a malformed param
void rpc.call('getTreeStatus', { tree: 1 });
`;
const SETTINGS = {
  compilerOptions: {
    ...{ module: 'node20', target: 'es2023', lib: ['es2023', 'dom'], types: [] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
  },
  files: ['program.mts', 'program.cts'],
};

describe('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-client-'));
  const installed = join(folder, 'node_modules', '@fresnel', 'client');
  beforeAll(async () => {
    await run(process.execPath, [join(ROOT, 'tools', 'build-client.mjs'), installed]);
  }, TIMEOUT_MS);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it(
    'has the types of all methods, for both kinds of modules',
    async () => {
      for (const file of SETTINGS.files) writeFileSync(join(folder, file), PROGRAM);
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
      const tsc = require.resolve('typescript/bin/tsc');
      const outcome = await run(process.execPath, [tsc, '--project', folder]).catch((error: unknown) => error);
      expect(outcome).toMatchObject({ stdout: '' });
    },
    TIMEOUT_MS,
  );

  it('is loaded by import and by require, without dependencies', async () => {
    const names = 'console.log(Object.keys(client).sort().join())';
    const asModule = ['--input-type=module', '--eval', `import * as client from '@fresnel/client'; ${names}`];
    const asScript = ['--eval', `const client = require('@fresnel/client'); ${names}`];
    for (const args of [asModule, asScript]) {
      const { stdout } = await run(process.execPath, args, { cwd: folder });
      expect(stdout.trim()).toBe('FresnelClient,RpcClient,RpcError,SubscriptionError');
    }
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });
});
