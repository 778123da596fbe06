import { FresnelError } from '@fresnel/domain/primitives';

/** How many processes of each service run. */
export const DEFAULT_REPLICAS = { ingest: 2, projector: 3, prover: 2, gateway: 2 };

export type ServiceName = keyof typeof DEFAULT_REPLICAS;
export type Replicas = Record<ServiceName, number>;

/** The command line is wrong. The message describes the problem. */
export class StackUsageError extends FresnelError {
  readonly code = 'usage';
  readonly isRetryable = false;
}

/** Reads `ingest=2,projector=3`; services that are not named keep their default number. @throws StackUsageError */
export function parseReplicas(text: string): Replicas {
  const replicas = { ...DEFAULT_REPLICAS };
  for (const part of text.split(',')) {
    const match = /^(ingest|projector|prover|gateway)=(\d{1,2})$/.exec(part.trim());
    if (!match) {
      throw new StackUsageError(`--replicas ${part}: expected a service and a number, such as ingest=2,projector=3`);
    }
    replicas[match[1] as ServiceName] = Number(match[2]);
  }
  return replicas;
}
