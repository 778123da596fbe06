import { host, integer, oneOf } from './config';
import { LOG_LEVELS } from './logger';

/** Environment variables of every application. */
export const SERVICE_CONFIG = {
  LOG_LEVEL: oneOf(LOG_LEVELS)({ default: 'info', desc: `One of ${LOG_LEVELS.join(', ')}` }),
};

/** Environment variables of the server of health and metrics, which every long-running process has. */
export const HEALTH_CONFIG = {
  HEALTH_HOST: host({
    default: '127.0.0.1',
    desc: 'Host of /health and /metrics; 0.0.0.0 for all interfaces',
  }),
  HEALTH_PORT: integer(0, 65_535)({ default: 8786, desc: 'Port of /health and /metrics; 0 for any free port' }),
};

/** Environment variables of a service that receives requests. */
export const DRAIN_CONFIG = {
  SHUTDOWN_DRAIN_MS: integer(
    0,
    600_000,
  )({
    default: 5_000,
    desc: 'How long a process that shuts down still accepts requests while it reports that it is not ready',
  }),
};
