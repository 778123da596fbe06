import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVER_SETTINGS } from '@fresnel/features/prover';
import { describeDefault, HEALTH_SETTINGS } from '@fresnel/platform';
import {
  DEMO_SETTINGS,
  KAFKA_SETTINGS,
  PROVER_ADDRESS_SETTINGS,
  READ_DATABASE_SETTINGS,
  REDIS_SETTINGS,
  TOPIC_SETTINGS,
} from '@fresnel/settings';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

describe('the README', () => {
  it('lists every setting of the services as --help does', () => {
    const { ACCEPT_TREE_GAPS, ...proverSettings } = PROVER_SETTINGS; // stands among those of one process
    expect(ACCEPT_TREE_GAPS).toBeDefined();
    const settings = {
      ...KAFKA_SETTINGS,
      ...TOPIC_SETTINGS,
      ...REDIS_SETTINGS,
      ...READ_DATABASE_SETTINGS,
      ...PROVER_ADDRESS_SETTINGS,
      ...proverSettings,
      ...DEMO_SETTINGS,
      ...HEALTH_SETTINGS,
    };
    const section = README.split('\n## Run the whole stack\n')[1].split('\n## ')[0];
    const rows = section.split('\n').filter((line) => /^\| `[A-Z_]+`/.test(line));
    expect(rows.map((row) => row.replace(/ {2,}/g, ' '))).toEqual(
      Object.entries(settings).map(
        ([name, setting]) => `| \`${name}\` | ${setting.desc} | ${describeDefault(setting)} |`,
      ),
    );
  });
});
