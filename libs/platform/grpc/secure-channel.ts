import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';

/** What a client needs to open an encrypted channel. */
interface SecureChannel {
  credentials: ChannelCredentials;
  options: ChannelOptions;
}

/** Certificates and keys in PEM. */
interface ChannelCertificates {
  /** The authority that signed the certificate of the server. */
  ca: string;
  /** The client's own. */
  cert: string;
  key: string;
}

/** The name of no server (RFC 2606). */
const NO_NAME = 'address.invalid';

/** The first IP address of a target, as in `10.0.0.1:50051`, `dns:///[::1]:50051` and `ipv4:10.0.0.1:50051,10.0.0.2:50051`. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/]*\/)?(?:([0-9.]+)|\[([^\]]+)\])(?=[:,]|$)/i;

/**
 * Encrypts the connections of a channel. The certificate of the server must be for the host of the target; in a list of addresses, for
 * the first.
 *
 * TLS names the host that a client asks for, and such a name cannot be an IP address (RFC 6066, section 3). gRPC sends the address all the
 * same, which Node 26 refuses. So it gets a name that no server has, and the certificate is compared with the address.
 *
 * @param target of gRPC: a host and a port, with or without a scheme
 * @param certificates default: a client without a certificate, which trusts the authorities that Node trusts
 */
export function secureChannel(target: string, { ca, key, cert }: Partial<ChannelCertificates> = {}): SecureChannel {
  const [authority, ownKey, ownCertificate] = [ca, key, cert].map((pem) =>
    pem === undefined ? null : Buffer.from(pem),
  );
  const address = (ADDRESS.exec(target) ?? []).slice(1).join('');
  if (isIP(address) === 0)
    return { credentials: credentials.createSsl(authority, ownKey, ownCertificate), options: {} };
  const verify: typeof checkServerIdentity = (_, certificate) => checkServerIdentity(address, certificate);
  return {
    credentials: credentials.createSsl(authority, ownKey, ownCertificate, { checkServerIdentity: verify }),
    options: { 'grpc.ssl_target_name_override': NO_NAME },
  };
}
