import { isIPv4 } from 'node:net';
import { MalformedTextError } from '@fresnel/domain/primitives';

/**
 * What gRPC is to resolve.
 *
 * @param address `host:port`, where every address that the name has gets its share of the calls (a headless service has
 *   one for each pod), or a comma list of `ipv4:port`, or anything with a scheme that gRPC knows
 * @throws MalformedTextError
 */
export function toTarget(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\D/i.test(address)) return address;
  const places = address.split(',').map((place) => place.trim());
  if (!places.every(isPlace)) throw new MalformedTextError(`"${address}" is not host:port`);
  if (places.length === 1) return `dns:///${places[0]}`;
  if (!places.every((place) => isIPv4(place.slice(0, place.lastIndexOf(':'))))) {
    throw new MalformedTextError('a list of provers names IPv4 addresses; several provers of one name need no list');
  }
  return `ipv4:${places.join(',')}`;
}

function isPlace(place: string): boolean {
  const port = /^[^:\s/]+:(\d+)$|^\[[0-9a-f:]+\]:(\d+)$/i.exec(place);
  const number = Number(port?.[1] ?? port?.[2]);
  return number >= 1 && number <= 65_535;
}
