import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { captureLog } from '@fresnel/testing/generic';
import { openHistorySource } from './open-history-source';

const KEY = 'very-secret-key';

describe('openHistorySource', () => {
  it.each([
    [`https://mainnet.helius-rpc.com/?api-key=${KEY}`, 'getTransactionsForAddress of helius-rpc.com', true],
    [`https://${KEY}.mainnet.provider.example/${KEY}`, 'getTransactionsForAddress of provider.example', true],
    [`http://user:${KEY}@[::1]:8899`, 'getTransactionsForAddress of [::1]', true],
    ['sqd+https://portal.sqd.dev/datasets/solana-mainnet', 'SQD Portal of sqd.dev', false],
    [`sqd+http://10.0.0.7:8000/${KEY}/datasets/x`, 'SQD Portal of 10.0.0.7', false],
  ])('opens what a URL names: %s', (url, name, hasBytes) => {
    const source = openHistorySource(url, LIVE_PROGRAMS.accountCompression, captureLog().logger);
    expect(source).toMatchObject({ name, hasBytes, hasLinks: !hasBytes, usage: { calls: 0, bytes: 0 } });
  });
});
