import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
}

/** Licenses that allow to pass the code on in the image and in the npm package, under Apache-2.0, with their notices. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

const LOCK_FILE = join(__dirname, '..', '..', '..', 'package-lock.json');
const { packages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('has a checksum of every package', () => {
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('takes every package from the registry that npm is set to use', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('has permissive licenses only, apart from packages of developers', () => {
    const product = installed.filter(([, { dev = false }]) => !dev);
    const partsOf = (license = '') => license.replace(/[()]/g, '').split(' AND ');
    expect(product.filter(([, { license }]) => !partsOf(license).every((part) => PERMISSIVE.includes(part)))).toEqual(
      [],
    );
  });
});
