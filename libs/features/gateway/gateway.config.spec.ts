import { CHAIN_CONFIG } from '@fresnel/config';
import { readConfig } from '@fresnel/platform';
import { GATEWAY_CONFIG, toNodeOptions } from './gateway.config';

const read = (env: NodeJS.ProcessEnv) =>
  readConfig({ ...GATEWAY_CONFIG, SOLANA_RPC_URL: CHAIN_CONFIG.SOLANA_RPC_URL }, env);

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
