import { isIPv4, isIPv6 } from 'node:net';

/** An IP address in one way of writing; IPv4 that was mapped into IPv6 is IPv4. */
export interface Address {
  family: 'ipv4' | 'ipv6';
  text: string;
}

/** Requests whose connection was gone before its address was asked for share this client. */
const UNKNOWN_CLIENT = 'unknown';
const V6_GROUPS = 8;
/** A provider gives a customer at least this much of IPv6, whose addresses can then be changed with every request. */
const NETWORK_GROUPS = 4;

/**
 * Whose points a request costs: the farthest address of its way here that is one. Of IPv6 it is the network, /64.
 *
 * @param hops addresses of the way, our peer first, as far as they can be believed; proxies may put anything there
 */
export function clientOf(hops: readonly (string | undefined)[]): string {
  const address = hops.map(readAddress).findLast((hop) => hop !== null);
  if (!address) return UNKNOWN_CLIENT;
  if (address.family === 'ipv4') return address.text;
  return `${groupsOf(address.text).slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Reads an address as proxies write it: with or without port, brackets and zone. @returns null where there is none */
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

/** All eight groups of an address whose zeros may be left out. */
function groupsOf(canonical: string): string[] {
  const [head, tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(V6_GROUPS - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail];
}

/** The IPv4 address in ::ffff:a.b.c.d, null in any other. */
function mappedIPv4(groups: readonly string[]): string | null {
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return null;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
