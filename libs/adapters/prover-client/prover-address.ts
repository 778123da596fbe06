import { isIPv4 } from 'node:net';
import { MalformedTextError } from '@fresnel/domain/primitives';

/**
 * Converts the address of provers to a gRPC target.
 *
 * @param address `host:port`: calls are distributed over all addresses of the host name (a headless service has one for
 *   each pod); or a comma-separated list of `ipv4:port`; or a target with a scheme that gRPC supports
 * @throws MalformedTextError
 */
export function toTarget(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\D/i.test(address)) return address;
  const endpoints = address.split(',').map((endpoint) => endpoint.trim());
  if (!endpoints.every(isEndpoint)) throw new MalformedTextError(`"${address}" is not host:port`);
  if (endpoints.length === 1) return `dns:///${endpoints[0]}`;
  if (!endpoints.every((endpoint) => isIPv4(endpoint.slice(0, endpoint.lastIndexOf(':'))))) {
    throw new MalformedTextError(
      'a list of provers must contain IPv4 addresses; for several provers with one host name, set only host:port',
    );
  }
  return `ipv4:${endpoints.join(',')}`;
}

function isEndpoint(endpoint: string): boolean {
  const port = /^[^:\s/]+:(\d+)$|^\[[0-9a-f:]+\]:(\d+)$/i.exec(endpoint);
  const number = Number(port?.[1] ?? port?.[2]);
  return number >= 1 && number <= 65_535;
}
