import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOAD_APP = join(__dirname, '..', '..', 'tools', 'load-app.cjs');
const BUNDLE = `
const later = () => console.log('ran', require('node:path').basename(__dirname));
setImmediate(later);
`;

describe('load-app', () => {
  let root: string;
  beforeAll(() => (root = mkdtempSync(join(tmpdir(), 'fresnel-load-'))));
  afterAll(() => {
    rmSync(root, { recursive: true });
  });
  const run = (...args: string[]) => execFileSync(process.execPath, args, { encoding: 'utf8' });
  // A run replaces the file if V8 rejects it.
  const bytecodeOf = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.bytecode'))
      .map((name) => statSync(join(folder, name)))
      .map(({ ino, size }) => ({ ino, size }));
  const install = (app: string, bundle: string) => {
    const folder = join(root, app);
    mkdirSync(folder);
    copyFileSync(LOAD_APP, join(folder, 'main.js'));
    writeFileSync(join(folder, 'app.js'), bundle);
    return folder;
  };

  it.each(['gateway', 'standalone', 'ingest'])('starts %s with the bytecode of an earlier start', (app) => {
    const folder = install(app, BUNDLE);
    expect(run(join(folder, 'main.js'))).toBe(`ran ${app}\n`);
    const written = bytecodeOf(folder);
    expect(written).toHaveLength(1);
    expect(run(join(folder, 'main.js'))).toBe(`ran ${app}\n`);
    expect(bytecodeOf(folder)).toEqual(written);
  });

  it('keeps the bytecode of the start of an app that has much to do at once', () => {
    const bundle = (arrays: number) => `
${Array.from({ length: 300 }, (_, at) => `(function start${at}(list) { return list.map((item) => item + ${at}); })([1, 2]);`).join('\n')}
let left = ${arrays};
const allocate = () => Array.from({ length: 10 }, () => new Array(1e6).fill(0)).length && --left > 0 && setImmediate(allocate);
setImmediate(allocate);
`;
    const [idle, busy] = [install('idle', bundle(1)), install('busy', bundle(60))];
    for (const folder of [idle, busy]) run(join(folder, 'main.js'));
    expect(bytecodeOf(busy)[0].size).toBe(bytecodeOf(idle)[0].size);
  });

  it('sets a flag that this version of Node has', () => {
    expect(run('--v8-options')).toContain('--heap-growing-percent ');
  });
});
