import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readFunctions } from './schema-functions';

describe('the files of functions', () => {
  it.each(readFunctions().map(({ name, sql }) => [name, sql]))(
    '%s defines this function, and has a test',
    (name, sql) => {
      expect(sql.match(/CREATE (OR REPLACE )?\w+ \w+/g)).toEqual([`CREATE OR REPLACE FUNCTION ${name}`]);
      expect(existsSync(join(__dirname, 'functions', `${name}.int-spec.ts`))).toBe(true);
    },
  );
});
