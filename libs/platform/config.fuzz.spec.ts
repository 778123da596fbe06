import { fuzz, hostileText } from '@fresnel/testing/generic';
import {
  address,
  addresses,
  ConfigError,
  flag,
  host,
  integer,
  oneOf,
  pubkey,
  readConfig,
  serverAddress,
  slot,
  text,
} from './config';

/** Each kind of setting, and values that it takes. */
const KINDS = {
  PUBKEY: [pubkey(), 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'],
  SLOT: [slot(), '187000000'],
  FLAG: [flag(), 'true'],
  INTEGER: [integer(-5, 65_535)(), '65535'],
  ADDRESS: [address('postgres:', 'https:')(), 'postgres://user:p%40ss@/db?host=/run'],
  ADDRESSES: [addresses('https:', 'sqd+https:')(), 'https://one.example/?api-key=K, sqd+https://two.example'],
  SERVER: [serverAddress('redis:')(), 'redis://[::1]:6379'],
  ONE_OF: [oneOf(['full', 'small'])(), 'small'],
  HOST: [host(), '[::1]'],
  TEXT: [text(), 'any'],
} as const;

describe('the text of a setting', () => {
  it.each(Object.entries(KINDS))('is read, or rejected with ConfigError: %s', (name, [validator, sample]) => {
    fuzz(hostileText([sample]), (value) => readConfig({ [name]: validator }, { [name]: value }), {
      throws: [ConfigError],
    });
  });
});
