import { anyCharacter } from '@fresnel/testing/generic';
import fc from 'fast-check';
import { clientOf, readAddress } from './client-address';

describe('readAddress', () => {
  it.each([
    ['203.0.113.7', 'ipv4', '203.0.113.7'],
    [' 203.0.113.7 ', 'ipv4', '203.0.113.7'],
    ['203.0.113.7:443', 'ipv4', '203.0.113.7'],
    ['::ffff:203.0.113.7', 'ipv4', '203.0.113.7'],
    ['::FFFF:CB00:7107', 'ipv4', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', 'ipv4', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', 'ipv4', '203.0.113.7'],
    ['2001:DB8::1', 'ipv6', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', 'ipv6', '2001:db8::1'],
    ['[2001:db8::1]', 'ipv6', '2001:db8::1'],
    ['[2001:db8::1]:443', 'ipv6', '2001:db8::1'],
    ['fe80::1%eth0', 'ipv6', 'fe80::1'],
    ['::', 'ipv6', '::'],
  ])('reads %p', (text, family, address) => {
    expect(readAddress(text)).toEqual({ family, text: address });
  });

  it.each([
    [undefined],
    [''],
    ['unknown'],
    ['_hidden'],
    ['203.0.113'],
    ['203.0.113.256'],
    ['203.0.113.07'],
    ['203.0.113.7:'],
    ['203.0.113.7/8'],
    ['203.0.113.7 203.0.113.8'],
    ['2001:db8::1::2'],
    ['[2001:db8::1'],
    ['[203.0.113.7]x'],
    ['%'],
    ['::ffff:999.0.0.1'],
    ['for=203.0.113.7'],
    ['\u0000'],
    ['1'.repeat(10_000)],
  ])('returns null for %p', (text) => {
    expect(readAddress(text)).toBeNull();
  });
});

describe('clientOf', () => {
  it.each([
    ['IPv4 by its address', ['203.0.113.7'], '203.0.113.7'],
    ['IPv4 inside IPv6 as IPv4', ['::ffff:203.0.113.7'], '203.0.113.7'],
    ['IPv6 by its network', ['2001:db8:1:2:3:4:5:6'], '2001:db8:1:2::/64'],
    ['IPv6 by its network, zeros abbreviated', ['2001:db8::6'], '2001:db8:0:0::/64'],
    ['IPv6 by its network, in any notation', ['2001:0DB8:0::0006'], '2001:db8:0:0::/64'],
    ['the farthest hop', ['10.0.0.1', '10.0.0.2', '203.0.113.7'], '203.0.113.7'],
    ['the farthest hop that is an address', ['10.0.0.1', '203.0.113.7', 'unknown'], '203.0.113.7'],
    ['the peer if no other hop is an address', ['10.0.0.1', '', 'x'], '10.0.0.1'],
    ['a closed connection as unknown', [undefined], 'unknown'],
  ])('identifies %s', (_, hops, client) => {
    expect(clientOf(hops)).toBe(client);
  });

  it('returns one client for all addresses of a /64, and another for the next /64', () => {
    const addresses = ['2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff'];
    expect(new Set(addresses.map((hop) => clientOf([hop])))).toEqual(new Set(['2001:db8:0:7::/64']));
    expect(clientOf(['2001:db8:0:8::1'])).toBe('2001:db8:0:8::/64');
  });

  it('returns a short text for any hops', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.ipV4(), fc.ipV6())), (hops) => {
        expect(clientOf(hops)).toMatch(/^(unknown|[\d.]{7,15}|[\da-f:]{7,19}::\/64)$/);
      }),
    );
  });
});
