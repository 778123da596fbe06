import { windowKey } from './keys';

const CLIENTS = ['203.0.113.7', '203.0.113.8', '2001:db8:0:1::/64', 'unknown'];

/** What a cluster looks at: everything between the first brace and the next that closes. */
function hashTagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

describe('the key of a window', () => {
  it('names the client', () => {
    expect(CLIENTS.map(windowKey)).toEqual([
      'fresnel:rate-limit:{203.0.113.7}',
      'fresnel:rate-limit:{203.0.113.8}',
      'fresnel:rate-limit:{2001:db8:0:1::/64}',
      'fresnel:rate-limit:{unknown}',
    ]);
  });

  it('is placed in a cluster by the client alone', () => {
    expect(CLIENTS.map((client) => hashTagOf(windowKey(client)))).toEqual(CLIENTS);
  });
});
