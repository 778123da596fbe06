import { required, text } from '@fresnel/platform';

/** The addresses of the provers. */
export const PROVER_ADDRESS_CONFIG = {
  PROVER_URL: required(
    text({
      default: undefined,
      desc: 'Provers as host:port, separated by commas, or dns:///host:port for all addresses of a name',
    }),
  ),
};
