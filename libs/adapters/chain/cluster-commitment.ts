import { type Commitment } from '@fresnel/domain/chain';
import { asFields, asText, MalformedTextError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { now, timeout } from '@fresnel/platform/time';
import { PUBLIC_CLUSTERS } from './clusters';
import { type SolanaRpc } from './solana-rpc';

/** How often a cluster that has not migrated is asked. */
const ASK_EVERY_MS = 10 * 60_000;
/** How long the endpoints have to answer. */
const ANSWER_MS = 5_000;

/** Whether a cluster runs Alpenglow; unknown: the endpoint does not know the question, or does not answer it. */
type Migration = 'migrated' | 'not-yet' | 'unknown';

/**
 * The commitment at which a cluster is read. With Alpenglow, confirmed blocks are final, and `confirmed` will be removed;
 * before, finalized blocks are 13 seconds older. A cluster migrates once and for good. The public clusters have: that is known
 * after a restart too, whatever their endpoints say.
 */
class ClusterCommitment {
  private isMigrated = false;
  private first: Promise<void> | null = null;
  private askedAtMs = 0;
  private reported: Migration | null = null;

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly logger: Logger,
  ) {}

  /** Waits for the endpoints only at the first time. */
  async find(): Promise<Commitment> {
    if (!this.isMigrated && (this.first === null || now() - this.askedAtMs >= ASK_EVERY_MS)) {
      this.askedAtMs = now();
      const asking = this.ask();
      this.first ??= asking;
    }
    await this.first;
    return this.isMigrated ? 'finalized' : 'confirmed';
  }

  /** Asks all endpoints at once, because one of them may not answer. */
  private async ask(): Promise<void> {
    const answers = await Promise.all(this.rpc.endpoints().map(askEndpoint));
    const known = answers.find((answer) => answer === 'migrated') ?? answers.find((answer) => answer === 'not-yet');
    if (known === 'migrated') this.isMigrated = true;
    this.report(known ?? 'unknown');
  }

  private report(migration: Migration): void {
    if (migration === this.reported || this.reported === 'migrated') return;
    this.reported = migration;
    if (migration === 'migrated') this.logger.info('the cluster runs Alpenglow: blocks are read at finalized');
    if (migration === 'unknown') {
      this.logger.warn(
        'no endpoint says whether the cluster runs Alpenglow, blocks are read at confirmed: SOLANA_COMMITMENT decides it',
      );
    }
  }
}

/** Has a client read at a commitment. @param configured null: as the cluster says */
export function setCommitment(rpc: SolanaRpc, configured: Commitment | null, logger: Logger): void {
  const cluster = new ClusterCommitment(rpc, logger);
  rpc.findCommitment = () => (configured ? Promise.resolve(configured) : cluster.find());
}

/** The genesis hash says enough of a public cluster: an endpoint may not know the question about the certificate. */
async function askEndpoint(rpc: SolanaRpc): Promise<Migration> {
  const signal = timeout(ANSWER_MS);
  const call = <Result>(method: string, parse: (result: unknown) => Result) =>
    rpc.call({ method, params: [], parse, maxAttempts: 1 }, signal).catch(() => null);
  if (PUBLIC_CLUSTERS.has((await call('getGenesisHash', asText)) ?? '')) return 'migrated';
  return (await call('getAgGenesisCert', toMigration)) ?? 'unknown';
}

/** The result is the certificate of the first block with Alpenglow, or null. */
function toMigration(result: unknown): Migration {
  if (result === null) return 'not-yet';
  if (Array.isArray(result)) throw new MalformedTextError('expected an object');
  asFields(result);
  return 'migrated';
}
