import { type ConfigOf, fileText, requiredIf } from '@fresnel/platform';

const CONDITION = 'with the other PROVER_TLS files';

const pemFile = (name: string, desc: string) =>
  requiredIf(fileText({ default: undefined, desc }), CONDITION, (env) =>
    NAMES.some((other) => other !== name && env[other] !== undefined),
  );

const NAMES = ['PROVER_TLS_CA_FILE', 'PROVER_TLS_CERT_FILE', 'PROVER_TLS_KEY_FILE'];

/** The certificates with which gateways and provers authenticate each other: all files are set, or none. */
export const PROVER_TLS_CONFIG = {
  PROVER_TLS_CA_FILE: pemFile(
    'PROVER_TLS_CA_FILE',
    'PEM file with the certificate authority of gateways and provers, which then authenticate each other',
  ),
  PROVER_TLS_CERT_FILE: pemFile('PROVER_TLS_CERT_FILE', 'PEM file with the certificate of this process'),
  PROVER_TLS_KEY_FILE: pemFile('PROVER_TLS_KEY_FILE', 'PEM file with the key of the certificate'),
};

/** @returns the certificates of connections between gateways and provers; null: these are not encrypted */
export function toProverTls(env: ConfigOf<typeof PROVER_TLS_CONFIG>) {
  const { PROVER_TLS_CA_FILE: ca, PROVER_TLS_CERT_FILE: cert, PROVER_TLS_KEY_FILE: key } = env;
  return ca === undefined || cert === undefined || key === undefined ? null : { ca, cert, key };
}
