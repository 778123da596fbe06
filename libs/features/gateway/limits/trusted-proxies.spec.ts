import { MalformedTextError } from '@fresnel/domain/primitives';
import { createTrust, hopsOf, parseTrustedProxies } from './trusted-proxies';

describe('parseTrustedProxies', () => {
  it.each([
    ['0', 0],
    ['2', 2],
    [' 2 ', 2],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8,192.168.1.1', ['10.0.0.0/8', '192.168.1.1']],
    [' 10.0.0.0/8 , 2001:db8::/32 ', ['10.0.0.0/8', '2001:db8::/32']],
    ['::1', ['::1']],
    ['0.0.0.0/0', ['0.0.0.0/0']],
  ])('parses %p', (text, proxies) => {
    expect(parseTrustedProxies(text)).toEqual(proxies);
  });

  it.each([
    ['proxy.example.org', 'proxy.example.org'],
    ['10.0.0.1,', ''],
    ['10.0.0.1,,10.0.0.2', ''],
    ['10.0.0.1 10.0.0.2', '10.0.0.1 10.0.0.2'],
    ['10.0.0.0/33', '10.0.0.0/33'],
    ['10.0.0.0/', '10.0.0.0/'],
    ['10.0.0.0/8/8', '10.0.0.0/8/8'],
    ['10.0.0.0/-1', '10.0.0.0/-1'],
    ['10.0.0/8', '10.0.0/8'],
    ['10.0.0.1:80', '10.0.0.1:80'],
    ['[::1]', '[::1]'],
    ['2001:db8::/129', '2001:db8::/129'],
    ['::ffff:10.0.0.0/95', '::ffff:10.0.0.0/95'],
    ['2,10.0.0.1', '2'],
    ['-1', '-1'],
    ['1.5', '1.5'],
    ['100', '100'],
    ['true', 'true'],
  ])('rejects %p', (text, wrong) => {
    expect(() => parseTrustedProxies(text)).toThrow(MalformedTextError);
    expect(() => parseTrustedProxies(text)).toThrow(`"${wrong}" is not`);
  });
});

describe('createTrust', () => {
  it('trusts no hop without proxies', () => {
    expect([createTrust([]), createTrust(0)]).toEqual([false, false]);
  });

  it('trusts a number of hops, whatever their addresses', () => {
    const trust = createTrust(2);
    expect([0, 1, 2, 3].map((hop) => trust && trust('anything', hop))).toEqual([true, true, false, false]);
  });

  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.20.30.40/8', '10.0.0.1', true],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', '::ffff:11.0.0.1', false],
    ['10.0.0.0/8', '10.0.0.1:5000', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/32', '[2001:DB8::1]:443', true],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['::1', '127.0.0.1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['0.0.0.0/0', '203.0.113.7', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '203.0.113.7', false],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', undefined, false],
  ])('with %s, the trust in %p is %p', (network, address, isTrusted) => {
    const trust = createTrust(['192.0.2.1', network]);
    expect(trust && trust(address, 0)).toBe(isTrusted);
  });
});

describe('the hops of a request', () => {
  it.each<[string | undefined, string | undefined, number | string[], string[]]>([
    ['10.0.0.1', undefined, [], ['10.0.0.1']],
    ['10.0.0.1', '203.0.113.1', [], ['10.0.0.1']],
    ['10.0.0.1', '203.0.113.1', 1, ['10.0.0.1', '203.0.113.1']],
    ['10.0.0.1', '203.0.113.1,203.0.113.2', 1, ['10.0.0.1', '203.0.113.2']],
    ['10.0.0.1', '203.0.113.1, 203.0.113.2', 9, ['10.0.0.1', '203.0.113.2', '203.0.113.1']],
    ['10.0.0.1', '203.0.113.1, 10.0.0.2', ['10.0.0.0/8'], ['10.0.0.1', '10.0.0.2', '203.0.113.1']],
    ['10.0.0.1', '203.0.113.1, junk', ['10.0.0.0/8'], ['10.0.0.1', 'junk']],
    [undefined, '203.0.113.1', ['10.0.0.0/8'], ['']],
  ])('from %p with %p and %j', (peer, forwardedFor, proxies, hops) => {
    expect(hopsOf(peer, forwardedFor, createTrust(proxies))).toEqual(hops);
  });
});
