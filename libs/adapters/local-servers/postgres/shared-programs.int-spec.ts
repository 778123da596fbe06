import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres.error';
import { findBarrier, prepareServerUser } from './server-user';
import { copyPrograms } from './shared-programs';

/** A user that owns nothing. */
const OTHER_USER = { uid: 65_533, gid: 65_533 };

describe('copyPrograms', () => {
  let folder: string;
  let home: string;
  let sharedFolder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-programs-'));
    chmodSync(folder, 0o755);
    home = join(folder, 'home');
    mkdirSync(join(home, 'bin'), { recursive: true });
    writeFileSync(join(home, 'bin', 'postgres'), '#!/bin/sh\necho one\n', { mode: 0o700 });
    chmodSync(home, 0o700);
    sharedFolder = join(folder, 'shared');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes programs reachable for every user, in a folder that only its owner can write to', () => {
    expect(findBarrier(join(home, 'bin', 'postgres'), OTHER_USER)).toBe(home);
    const copy = copyPrograms(home, '1', sharedFolder);
    expect(copy).toBe(join(sharedFolder, 'postgres-1'));
    expect(findBarrier(join(copy, 'bin', 'postgres'), OTHER_USER)).toBeUndefined();
  });

  it('copies a version once', () => {
    const copy = copyPrograms(home, '1', sharedFolder);
    writeFileSync(join(home, 'bin', 'postgres'), 'changed');
    expect(copyPrograms(home, '1', sharedFolder)).toBe(copy);
    expect(spawnSync(join(copy, 'bin', 'postgres')).stdout.toString()).toBe('one\n');
    copyPrograms(home, '2', sharedFolder);
    expect(readdirSync(sharedFolder).sort()).toEqual(['postgres-1', 'postgres-2']);
  });

  it('leaves nothing incomplete, and says what to do', () => {
    const missing = join(folder, 'missing');
    const copying = () => copyPrograms(missing, '1', sharedFolder);
    expect(copying).toThrow(EmbeddedPostgresError);
    expect(copying).toThrow(/cannot be copied to .*: install Fresnel in another folder/);
    expect(readdirSync(sharedFolder)).toEqual([]);
  });

  it('copies all that Postgres needs', () => {
    cpSync(findBinaries(undefined).folder, home, { recursive: true, verbatimSymlinks: true });
    const copy = copyPrograms(home, '1', sharedFolder);
    rmSync(home, { recursive: true });
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    // initdb does not run as root.
    const user = prepareServerUser(dataDir);
    const options = { ...user, cwd: '/', env: { LC_ALL: 'C' } };
    const { status, stderr } = spawnSync(join(copy, 'bin', 'initdb'), ['-D', dataDir, '--no-sync'], options);
    expect([status, stderr.toString()]).toEqual([0, expect.any(String)]);
    expect(existsSync(join(dataDir, 'PG_VERSION'))).toBe(true);
  });
});
