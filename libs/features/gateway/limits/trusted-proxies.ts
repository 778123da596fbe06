import { BlockList, isIP, isIPv6 } from 'node:net';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { type Address, readAddress } from './client-address';

/** Proxies whose `X-Forwarded-For` is trusted: their addresses and networks, or the number of proxies before the gateway. */
export type TrustedProxies = number | readonly string[];

/** Whether the hop's `X-Forwarded-For` entry is trusted. Hop 0 is the peer of the connection. */
export type Trust = (address: string | undefined, hop: number) => boolean;

const MAPPED_PREFIX_BITS = 96;

/** One list for each family: in a common list ::/0 would include all of IPv4. */
type Networks = Record<Address['family'], BlockList>;

/**
 * Parses a comma-separated list of addresses and networks, or a number of proxies.
 *
 * @throws MalformedTextError that names the malformed part
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (/^\d{1,2}$/.test(text.trim())) return Number(text);
  const networks = text.split(',').map((part) => part.trim());
  createTrust(networks);
  return networks;
}

/** The form that Fastify's `trustProxy` takes. @returns false if no proxy is trusted @throws MalformedTextError */
export function createTrust(proxies: TrustedProxies): Trust | false {
  if (typeof proxies === 'number') return proxies > 0 && ((_, hop) => hop < proxies);
  if (proxies.length === 0) return false;
  const networks: Networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of proxies) addNetwork(networks, network);
  return (text) => {
    const address = readAddress(text);
    return address !== null && networks[address.family].check(address.text, address.family);
  };
}

/** The hops of a request up to the first untrusted one, as Fastify's `ips` has them. @param forwardedFor the header, if any */
export function hopsOf(peer: string | undefined, forwardedFor: string | undefined, trust: Trust | false): string[] {
  const entries = forwardedFor === undefined ? [] : forwardedFor.split(',').map((entry) => entry.trim());
  const hops = [peer ?? '', ...entries.reverse()];
  const last = hops.findIndex((hop, at) => trust === false || !trust(hop, at));
  return last === -1 ? hops : hops.slice(0, last + 1);
}

function addNetwork(networks: Networks, text: string): void {
  const match = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text);
  const [host, prefix] = [match?.at(1) ?? '', match?.at(2)];
  const address = isIP(host) === 0 ? null : readAddress(host);
  if (!address) throw malformed(text);
  const allBits = address.family === 'ipv4' ? 32 : 128;
  const isMapped = address.family === 'ipv4' && isIPv6(host);
  const bits = prefix === undefined ? allBits : Number(prefix) - (isMapped ? MAPPED_PREFIX_BITS : 0);
  if (bits < 0 || bits > allBits) throw malformed(text);
  networks[address.family].addSubnet(address.text, bits, address.family);
}

function malformed(text: string): MalformedTextError {
  return new MalformedTextError(`"${text}" is not an IP address, a network or a number of proxies`);
}
