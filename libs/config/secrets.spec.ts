import { type ConfigSchema, secretNames } from '@fresnel/platform';
import {
  CHAIN_CONFIG,
  DATABASE_CONFIG,
  KAFKA_CONFIG,
  PROVER_ADDRESS_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
  REDIS_READ_CONFIG,
  VALIDITY_PROVER_CONFIG,
} from './index';

const CONFIG: ConfigSchema = {
  ...CHAIN_CONFIG,
  ...DATABASE_CONFIG,
  ...READ_DATABASE_CONFIG,
  ...KAFKA_CONFIG,
  ...REDIS_CONFIG,
  ...REDIS_READ_CONFIG,
  ...PROVER_ADDRESS_CONFIG,
  ...VALIDITY_PROVER_CONFIG,
};

/** URLs of servers contain passwords or API keys, except those of provers. */
const SECRET_NAME = /(?<!^PROVER)_URL$|_TOKEN$|_USERNAME$|_PASSWORD$|_API_KEY$/;

describe('the shared config', () => {
  it('marks every variable with credentials as secret', () => {
    expect(secretNames(CONFIG)).toEqual(Object.keys(CONFIG).filter((name) => SECRET_NAME.test(name)));
  });
});
