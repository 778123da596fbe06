import { execFileSync } from 'node:child_process';
import * as v8 from 'node:v8';
import { limitHeapGrowth } from './limit-heap-growth';

jest.mock('node:v8', () => ({ setFlagsFromString: jest.fn() }));

describe('limitHeapGrowth', () => {
  it('sets a flag that this version of Node has', () => {
    limitHeapGrowth(60);
    expect(v8.setFlagsFromString).toHaveBeenCalledWith('--heap-growing-percent=60');
    expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain('--heap-growing-percent ');
  });
});
