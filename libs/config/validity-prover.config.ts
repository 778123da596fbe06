import { CIRCUIT_SETS } from '@fresnel/domain/trees/validity-proofs';
import { addresses, ConfigError, type ConfigOf, integer, oneOf, secret, text, toEndpoint } from '@fresnel/platform';

/** Provers for validity proofs. */
export const VALIDITY_PROVER_CONFIG = {
  VALIDITY_PROVER_URL: secret(
    addresses(
      'http:',
      'https:',
    )({
      default: undefined,
      desc: 'Prover for validity proofs, which are refused without one. Several are separated by commas and share the proofs',
    }),
  ),
  VALIDITY_PROVER_API_KEY: secret(
    text({ default: undefined, desc: 'API key of the validity prover, sent as a bearer token' }),
  ),
  VALIDITY_PROVER_CIRCUITS: oneOf(CIRCUIT_SETS)({
    default: 'full',
    desc: 'Circuits of the validity prover: full, or small for one in its local-rpc mode',
  }),
  VALIDITY_PROVER_CONCURRENCY: integer(1, 1_000)({ default: 8, desc: 'Validity proofs that are computed at once' }),
};

/** Null without a prover. @param timeoutMs time limit of a proof @throws ConfigError if a prover would get two logins */
export function toValidityProverOptions(config: ConfigOf<typeof VALIDITY_PROVER_CONFIG>, timeoutMs: number) {
  if (config.VALIDITY_PROVER_URL === undefined) return null;
  const hasLogin = config.VALIDITY_PROVER_URL.some((url) => toEndpoint(url).headers.authorization !== undefined);
  if (hasLogin && config.VALIDITY_PROVER_API_KEY !== undefined) {
    throw new ConfigError('VALIDITY_PROVER_URL has a login, and VALIDITY_PROVER_API_KEY is set: only one can be sent');
  }
  return {
    urls: config.VALIDITY_PROVER_URL,
    apiKey: config.VALIDITY_PROVER_API_KEY ?? null,
    circuits: config.VALIDITY_PROVER_CIRCUITS,
    concurrency: config.VALIDITY_PROVER_CONCURRENCY,
    timeoutMs,
  };
}
