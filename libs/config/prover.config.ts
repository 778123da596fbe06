import { text } from '@fresnel/platform';
import { mandatory } from './required';

/** Where the provers are. */
export const PROVER_ADDRESS_CONFIG = {
  PROVER_URL: mandatory(
    text({
      default: undefined,
      desc: 'Provers as host:port with commas between, or dns:///host:port for all addresses of a name',
    }),
  ),
};
