import { Counter, createLateGauge, type Gauge, type Registry } from '@fresnel/platform';

export interface DeadLetterMetrics {
  letters: Gauge;
  retries: Counter<'outcome'>;
}

/**
 * The outcome of the retry of a dead letter: its slot was `published` again, its reasons are `unchanged`, or the retry
 * `failed`.
 */
export type RetryOutcome = 'published' | 'unchanged' | 'failed';

const RETRY_OUTCOMES: readonly RetryOutcome[] = ['published', 'unchanged', 'failed'];

export function createDeadLetterMetrics(registry: Registry): DeadLetterMetrics {
  const registers = [registry];
  const retries = new Counter({
    name: 'fresnel_ingest_dead_letter_retries_total',
    help: 'Retries of dead letters by outcome',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of RETRY_OUTCOMES) retries.inc({ outcome }, 0);
  return {
    letters: createLateGauge({ name: 'fresnel_dead_letters', help: 'Stored dead letters', registers }),
    retries,
  };
}
