import { readConfig } from '@fresnel/platform';
import { HISTORY_CONFIG, toHistoryConfig } from './history.config';

const read = (value: string) => toHistoryConfig(readConfig(HISTORY_CONFIG, { HISTORY_URL: value }))?.urls;

describe('HISTORY_URL', () => {
  it('names several sources in their order', () => {
    const urls = ['https://user:pass@rpc.example/?api-key=K', 'sqd+https://portal.example/datasets/solana-mainnet'];
    expect(read(urls.join(' , '))).toEqual(urls);
    expect(read('http://127.0.0.1:8899,sqd+http://[::1]:8000/datasets/x')).toHaveLength(2);
  });

  it('can be left out', () => {
    expect(toHistoryConfig(readConfig(HISTORY_CONFIG, {}))).toBeNull();
  });

  it.each([
    ['https://rpc.example,', 'must be a URL that starts with https:// or http:// or sqd+https:// or sqd+http://'],
    [',https://rpc.example', 'must be a URL that starts with https://'],
    ['portal.example', 'must be a URL that starts with https://'],
    ['wss://rpc.example', 'must be a URL that starts with https://'],
    ['sqd://portal.example', 'must be a URL that starts with https://'],
    ['graph+https://portal.example', 'must be a URL that starts with https://'],
    ['sqd+https://one:1,two:2', 'must be a URL'],
    ['sqd+https://portal.example/#key-1234', 'must not contain "#"'],
  ])('is refused, and not repeated: %s', (value, problem) => {
    expect(() => read(value)).toThrow(`HISTORY_URL: ${problem}`);
    expect(() => read(value)).not.toThrow('key-1234');
  });
});
