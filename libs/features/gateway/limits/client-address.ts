import { isIPv4, isIPv6 } from 'node:net';

/** An IP address in canonical form. An IPv4-mapped IPv6 address is given as IPv4. */
export interface Address {
  family: 'ipv4' | 'ipv6';
  text: string;
}

/** The client of requests without a known address: the connection was closed before the address was read. */
const UNKNOWN_CLIENT = 'unknown';
const V6_GROUPS = 8;
/** A client counts by its /64 network: providers give each customer at least that much, so addresses in it are free to change. */
const NETWORK_GROUPS = 4;

/**
 * The client whose rate limit applies: the farthest hop that has an IP address, as IPv4 address or IPv6 /64 network.
 *
 * @param hops addresses on the request's path, the peer of the connection first, up to the first untrusted hop. They come
 *   from a header, so any text is possible
 */
export function clientOf(hops: readonly (string | undefined)[]): string {
  const address = hops.map(readAddress).findLast((hop) => hop !== null);
  if (!address) return UNKNOWN_CLIENT;
  if (address.family === 'ipv4') return address.text;
  return `${groupsOf(address.text).slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Reads an address as proxies write it, with or without port, brackets and zone. @returns null if it is not an address */
export function readAddress(text = ''): Address | null {
  const bare = withoutPort(text.trim()).replace(/%.*$/, '');
  if (isIPv4(bare)) return { family: 'ipv4', text: bare };
  if (!isIPv6(bare)) return null;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = mappedIPv4(groupsOf(canonical));
  return mapped === null ? { family: 'ipv6', text: canonical } : { family: 'ipv4', text: mapped };
}

function withoutPort(text: string): string {
  const match = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text);
  return match?.at(1) ?? match?.at(2) ?? text;
}

/** All eight groups of an IPv6 address, with `::` expanded. */
function groupsOf(canonical: string): string[] {
  const [head, tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(V6_GROUPS - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail];
}

/** The IPv4 address of ::ffff:a.b.c.d, null for any other IPv6 address. */
function mappedIPv4(groups: readonly string[]): string | null {
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return null;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
