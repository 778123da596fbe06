import { type ConfigSchema, readConfig } from '@fresnel/platform';
import { CHAIN_CONFIG } from './chain.config';
import { DATABASE_CONFIG } from './database.config';
import { REDIS_CONFIG } from './redis.config';
import { toValidityProverOptions, VALIDITY_PROVER_CONFIG } from './validity-prover.config';

const { SOLANA_RPC_URL, YELLOWSTONE_URL } = CHAIN_CONFIG;
const { DATABASE_URL } = DATABASE_CONFIG;
const { REDIS_URL } = REDIS_CONFIG;
const SCHEMA: ConfigSchema = { SOLANA_RPC_URL, YELLOWSTONE_URL, DATABASE_URL };

describe('a URL of the configuration', () => {
  it.each([
    ['SOLANA_RPC_URL', 'https://user:pass@node.example/v2/key?api-key=K'],
    ['YELLOWSTONE_URL', 'https://grpc.example:10000/'],
    ['YELLOWSTONE_URL', 'http://[::1]:10000'],
    ['DATABASE_URL', 'postgres://user:pass@/main?host=/run/postgresql'],
    ['DATABASE_URL', 'postgresql:///main?host=/run/postgresql'],
    ['DATABASE_URL', 'postgres://user:pass@[::1]:5432/main'],
    ['DATABASE_URL', 'postgres://user:p%40%25%3A%2Fss@db/main?sslmode=require'],
    ['SOLANA_RPC_URL', 'https://user:100%@node.example/'],
  ])('is accepted, also with white space around it: %s=%s', (name, url) => {
    for (const text of [url, ` ${url}\r`]) {
      const value: unknown = (readConfig(SCHEMA, { [name]: text }) as Record<string, unknown>)[name];
      expect([value].flat()).toEqual([url]);
    }
  });

  it.each([
    ['YELLOWSTONE_URL', 'https://grpc.example/key', 'a server alone, without a login, a path or a query'],
    ['YELLOWSTONE_URL', 'https://grpc.example/?token=K', 'a server alone, without a login, a path or a query'],
    ['YELLOWSTONE_URL', 'https://user:pass@grpc.example', 'a server alone, without a login, a path or a query'],
    ['SOLANA_RPC_URL', 'https://node.example/?api-key=a#b', 'must not contain "#"'],
    ['SOLANA_RPC_URL', 'https://user@/path', 'must be a URL of one host'],
    ['DATABASE_URL', 'postgres://db/main#1', 'must not contain "#"'],
    ['DATABASE_URL', 'postgres://user:100%@db/main', 'must not contain a single "%": in a login it is %25'],
    ['DATABASE_URL', 'postgres://user:pass@one:5432,two:5432/main', 'must be a URL of one host'],
    ['DATABASE_URL', 'postgres://user:pa/ss@db/main', 'special characters in a login are percent-encoded'],
  ])('is refused, and not repeated: %s=%s', (name, url, problem) => {
    const read = () => readConfig(SCHEMA, { [name]: url });
    expect(read).toThrow(`${name}: must`);
    expect(read).toThrow(problem);
    expect(read).not.toThrow(url);
  });

  it('of Redis names a host', () => {
    expect(() => readConfig({ REDIS_URL }, { REDIS_URL: 'redis:///run/redis.sock' })).toThrow('must name a host');
  });
});

describe('the login of a validity prover', () => {
  const read = (env: Record<string, string>) => toValidityProverOptions(readConfig(VALIDITY_PROVER_CONFIG, env), 1_000);

  it('is in the URL or the API key, not in both', () => {
    const [url, key] = [
      { VALIDITY_PROVER_URL: 'http://user:pass@prover.example' },
      { VALIDITY_PROVER_API_KEY: 'key-1234' },
    ];
    expect(read(url)?.apiKey).toBeNull();
    expect(read({ VALIDITY_PROVER_URL: 'http://prover.example', ...key })?.apiKey).toBe('key-1234');
    expect(() => read({ ...url, ...key })).toThrow('only one can be sent');
  });
});
