import { compareSchemaFiles } from './schema-files';

const released = {
  'functions/derive_slots.sql': 'a',
  'migrations/1760000000000-create-blocks.ts': 'b',
  'migrations/1760000001000-create-accounts.ts': 'c',
};

const breaches = (now: Record<string, string>) =>
  compareSchemaFiles(released, now).map(({ of, problem }) => `${of.split('/').at(-1)} ${problem}`);

describe('the rule for the files of the schema', () => {
  it('permits new functions and later migrations', () => {
    expect(
      breaches({ ...released, 'functions/derive_slots_2.sql': 'd', 'migrations/1770000000000-add-column.ts': 'e' }),
    ).toEqual([]);
  });

  it('refuses that a file changes or goes', () => {
    const changed = 'has changed: add another file, with another name, instead';
    expect(breaches({ 'functions/derive_slots.sql': 'A', 'migrations/1760000000000-create-blocks.ts': 'B' })).toEqual([
      `derive_slots.sql ${changed}`,
      `1760000000000-create-blocks.ts ${changed}`,
      '1760000001000-create-accounts.ts is gone',
    ]);
  });

  it('refuses a migration that runs before those of the release', () => {
    expect(breaches({ ...released, 'migrations/1760000000500-add-column.ts': 'd' })).toEqual([
      '1760000000500-add-column.ts must sort after migrations/1760000001000-create-accounts.ts',
    ]);
  });
});
