import { COMMANDS } from '../../../apps/standalone/commands/commands';
import { describeCommands } from './commands';
import { compareNames } from './kept-names';

const verify = {
  name: 'verify',
  synopsis: '[--against URL]',
  help: `Compares an index with another one; see --json.

  queues --slot SLOT   only queues
  --json               write JSON

Exit code: 0 if nothing differs; 1 if something differs, as of --slot; 2 if the command fails.

Environment variables:
  --made-up  [3 if not set]`,
};

describe('the description of commands', () => {
  it('has what --help names', () => {
    expect(describeCommands([verify])).toEqual({
      command: ['verify'],
      action: ['verify queues'],
      option: ['verify --against', 'verify --json', 'verify --slot'],
      'exit code': ['verify 0', 'verify 1', 'verify 2'],
    });
  });

  it('finds each kind in the commands that exist', () => {
    const described = describeCommands(COMMANDS);
    expect(described.command).toContain('backfill');
    expect(described.action).toEqual(
      expect.arrayContaining(['snapshot load', 'dead-letters retry', 'trees hand-over']),
    );
    expect(described.option).toEqual(
      expect.arrayContaining(['backfill --dry-run', 'generate --out', 'trees --from-empty']),
    );
    expect(described['exit code']).toEqual(expect.arrayContaining(['backfill 3', 'verify 2']));
  });

  it('notices an option that is gone', () => {
    const later = { ...verify, synopsis: '' };
    expect(compareNames(describeCommands([verify]), describeCommands([later]))).toEqual([
      { of: 'option verify --against', problem: 'is gone' },
    ]);
  });
});
