import { BlockList, isIP, isIPv6 } from 'node:net';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { type Address, readAddress } from './client-address';

/** Whose `X-Forwarded-For` is believed: proxies at these addresses and networks, or so many in front of the gateway. */
export type TrustedProxies = number | readonly string[];

/** Whether what a hop says of the one behind it is believed; hop 0 is our peer. */
export type Trust = (address: string | undefined, hop: number) => boolean;

const MAPPED_PREFIX_BITS = 96;

/** One list for each family: in a common one ::/0 has all of IPv4 in it. */
type Networks = Record<Address['family'], BlockList>;

/**
 * Reads addresses and networks with commas between, or a number of proxies.
 *
 * @throws MalformedTextError that says which part is neither
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (/^\d{1,2}$/.test(text.trim())) return Number(text);
  const networks = text.split(',').map((part) => part.trim());
  createTrust(networks);
  return networks;
}

/** @returns false where nobody is believed @throws MalformedTextError */
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
  return new MalformedTextError(`"${text}" is neither an address nor a network, nor is all of it a number of proxies`);
}
