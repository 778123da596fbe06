import { CHAIN_CONFIG } from '@fresnel/config';
import { readConfig } from '@fresnel/platform';
import { GATEWAY_CONFIG, toNodeOptions, toNodeSocketsOptions } from './gateway.config';

const read = (env: NodeJS.ProcessEnv) =>
  readConfig({ ...GATEWAY_CONFIG, SOLANA_RPC_URL: CHAIN_CONFIG.SOLANA_RPC_URL }, env);

it.each([
  ['::', '::'],
  ['[::1]', '::1'],
  ['0.0.0.0', '0.0.0.0'],
  ['gateway.internal', 'gateway.internal'],
])('listens on the host %s, which is %s without brackets', (GATEWAY_HOST, expected) => {
  expect(read({ GATEWAY_HOST }).GATEWAY_HOST).toBe(expected);
});

describe('the options of the node', () => {
  it('follow from its URL, and are null without one', () => {
    expect(toNodeOptions(read({}))).toBeNull();
    const config = read({ SOLANA_RPC_URL: 'http://a,http://b', UPSTREAM_RPC_PASSTHROUGH: 'getSlot' });
    expect(toNodeOptions(config)).toMatchObject({ urls: ['http://a', 'http://b'], timeoutMs: 9_000, concurrency: 32 });
  });

  it('must be set if methods are forwarded', () => {
    expect(() => toNodeOptions(read({ UPSTREAM_RPC_PASSTHROUGH: 'default' }))).toThrow('SOLANA_RPC_URL must be set');
  });

  it('reject a list with a method of the gateway', () => {
    const list = 'getSlot,getCompressedAccount';
    expect(() => read({ UPSTREAM_RPC_PASSTHROUGH: list })).toThrow(/UPSTREAM_RPC_PASSTHROUGH: getCompressedAccount is/);
  });
});

describe('the WebSocket of the node', () => {
  const optionsOf = (env: NodeJS.ProcessEnv) => toNodeSocketsOptions(read(env));

  it('is that of its URLs, if methods are forwarded', () => {
    const node = { SOLANA_RPC_URL: 'http://a:8899,https://b/key' };
    expect(optionsOf({})).toBeNull();
    expect(optionsOf(node)).toBeNull();
    expect(optionsOf({ ...node, UPSTREAM_RPC_PASSTHROUGH: 'getSlot' })).toEqual({
      urls: ['ws://a:8900/', 'wss://b/key'],
      timeoutMs: 9_000,
      maxMessageBytes: 4 * 1024 * 1024,
    });
    const SOLANA_WS_URL = 'wss://c,ws://d:1';
    expect(optionsOf({ ...node, SOLANA_WS_URL, UPSTREAM_RPC_PASSTHROUGH: 'default' })).toMatchObject({
      urls: ['wss://c', 'ws://d:1'],
    });
  });

  it('has a URL for WebSockets', () => {
    expect(() => read({ SOLANA_WS_URL: 'http://c' })).toThrow(
      'SOLANA_WS_URL: must be a URL that starts with ws:// or wss://',
    );
  });
});
