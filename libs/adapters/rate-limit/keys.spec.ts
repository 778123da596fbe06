import { windowKey } from './keys';

const CLIENTS = ['203.0.113.7', '203.0.113.8', '2001:db8:0:1::/64', 'unknown'];

/** The hash tag: the text between the first opening brace and the next closing brace. */
function hashTagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

describe('the key of a window', () => {
  it('contains the client', () => {
    expect(CLIENTS.map((client) => windowKey('', client))).toEqual([
      'fresnel:rate-limit:{203.0.113.7}',
      'fresnel:rate-limit:{203.0.113.8}',
      'fresnel:rate-limit:{2001:db8:0:1::/64}',
      'fresnel:rate-limit:{unknown}',
    ]);
  });

  it('starts with the prefix', () => {
    expect(windowKey('staging:', CLIENTS[0])).toBe('staging:fresnel:rate-limit:{203.0.113.7}');
  });

  it('has only the client as its hash tag', () => {
    for (const prefix of ['', 'staging:']) {
      expect(CLIENTS.map((client) => hashTagOf(windowKey(prefix, client)))).toEqual(CLIENTS);
    }
  });
});
