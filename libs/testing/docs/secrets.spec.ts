import { type ConfigSchema, secretNames } from '@fresnel/platform';
import { PROCESSES } from './configuration-page';

/** URLs of servers contain passwords or API keys, except those of provers. */
const SECRET_NAME = /(?<!^PROVER)_URL$|_TOKEN$|_USERNAME$|_PASSWORD$|_API_KEY$|_HEADERS$/;

const settings = Object.assign({}, ...Object.values(PROCESSES)) as ConfigSchema;

describe('the settings of all processes', () => {
  it('with credentials are marked as secret', () => {
    expect(secretNames(settings)).toEqual(Object.keys(settings).filter((name) => SECRET_NAME.test(name)));
  });
});
