import { createTopics } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { createLogger } from '@fresnel/platform';
import { byFaultForm, Opened } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import {
  callWhile,
  deleteTopics,
  digestCleanRun,
  type ExitResult,
  expireRecords,
  LiveLedger,
  ServicesUnderTest,
} from '@fresnel/testing/stack';
import { backUpDatabase, digestState, emptyDatabase } from '@fresnel/testing/store';

const HISTORY = 40;
/** Blocks that the chain has after the backup. */
const LATER = 40;
/** Blocks that the chain has during a drill. */
const MEANWHILE = 5;

const WRITERS = ['ingest', 'projector', 'prover'] as const;
const CONSUMERS = ['projector', 'prover'] as const;

/** What an error asks the operator to do. */
const COMMAND = /stop all services and run \\?"migrate reset-positions\\?"/;

/** Each drill takes about a minute: `npm run test:faults` does them. Their parts have tests of their own. */
const describeDrills = byFaultForm({ short: describe.skip, long: describe });

describeDrills('the way back after the loss of', () => {
  const opened = new Opened();
  const history = new ProofHistory();
  let ledger: LiveLedger;
  let services: ServicesUnderTest;

  beforeAll(async () => {
    const record = (oracle: LedgerOracle) => {
      history.record(oracle);
    };
    ledger = opened.add(await LiveLedger.open({ seed: 41, slots: 500, transactionsPerSlot: 1 }, HISTORY, record));
    services = opened.add(await ServicesUnderTest.start(ledger));
  });
  // Whatever the test before has left.
  beforeEach(async () => {
    await resetPositions();
    await services.waitForTip();
  });
  afterAll(() => opened.close());

  /** Backs up the database, and lets the chain go on. */
  async function backUpAndGoOn(): Promise<{ restore(): Promise<void> }> {
    const backup = opened.add(await backUpDatabase(services.database));
    await goOn();
    return backup;
  }

  async function goOn(): Promise<void> {
    ledger.reveal(LATER);
    await services.waitForTip();
    expect(await services.differences()).toEqual([]);
  }

  /**
   * Lets something be lost and recovered while a caller calls the gateway and the chain goes on.
   *
   * @param lose the loss
   * @param recover what the operator does
   * @param areReadsAnswered whether every read must be answered meanwhile
   */
  async function drill(
    name: string,
    lose: () => Promise<void>,
    recover: () => Promise<void>,
    { areReadsAnswered = false } = {},
  ): Promise<void> {
    const startedAt = Date.now();
    let lostMs = 0;
    const happening = async () => {
      await lose();
      ledger.reveal(MEANWHILE);
      lostMs = Date.now() - startedAt;
      await recover();
      await services.waitForTip();
    };
    const seen = await callWhile(services.url, ledger.oracle, history, happening());
    console.log(
      `${name}: indexed ${Date.now() - startedAt - lostMs} ms after the loss; answers: ${JSON.stringify(seen)}`,
    );
    expect(seen.wrongProofs).toBe(0);
    if (areReadsAnswered) expect(Object.keys(seen.reads)).toEqual(['ok']);
    expect(await services.differences()).toEqual([]);
    expect(await digestState(services.database.dataSource)).toBe(await digestCleanRun(ledger.revealed));
  }

  async function resetPositions(): Promise<void> {
    await services.stopWriters();
    const { code, stderr } = await services.migrate('reset-positions');
    expect([code, stderr]).toEqual([0, expect.stringContaining('positions are reset')]);
    services.startWriters();
  }

  /** Creates the topics as something else than migrate would. */
  async function createTopicsAgain(): Promise<void> {
    const { KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix } = services.env;
    const layouts = [SLOT_EVENTS, TREE_UPDATES].map((topic) => ({ topic, partitions: 6, retentionMs: 604_800_000 }));
    const config = { brokers: brokers.split(','), clientId: 'tests', prefix };
    await createTopics(config, layouts, { replicationFactor: 1, minInsyncReplicas: 1 }, createLogger('silent'));
  }

  /** Expects that a service has failed, and that its error names the command. */
  function expectCommand({ code, stderr }: ExitResult): void {
    expect([code, stderr]).toEqual([1, expect.stringMatching(COMMAND)]);
  }

  it('rows, restored from a backup that is older than the records of the topics', async () => {
    const backup = await backUpAndGoOn();
    const lose = async () => {
      await services.stopWriters();
      await backup.restore();
      await expireRecords(services.env);
      services.startWriters();
    };
    await drill('Postgres from an old backup', lose, async () => {
      for (const name of CONSUMERS) expectCommand(await services.writer(name).exited());
      await resetPositions();
    });
  });

  it('rows, restored from a backup since which the topics have all records', async () => {
    const backup = await backUpAndGoOn();
    const lose = async () => {
      await services.stopWriters();
      await backup.restore();
    };
    const recover = () => {
      services.startWriters();
      return Promise.resolve();
    };
    await drill('Postgres from a new backup', lose, recover);
  });

  it('all rows, without a backup', async () => {
    const lose = async () => {
      await services.stopWriters();
      await expireRecords(services.env);
      await emptyDatabase(services.database);
      expect((await services.migrate()).code).toBe(0);
      services.startWriters();
    };
    await drill('Postgres without a backup', lose, async () => {
      for (const name of CONSUMERS) expectCommand(await services.writer(name).exited());
      await resetPositions();
    });
  });

  it('all topics', async () => {
    const recover = async () => {
      expectCommand(await services.migrate());
      await resetPositions();
    };
    await drill('Kafka', () => deleteTopics(services.env), recover, { areReadsAnswered: true });
  });

  it('all topics, which exist again', async () => {
    const lose = async () => {
      await services.stopWriters();
      await deleteTopics(services.env);
      await createTopicsAgain();
      services.startWriters();
    };
    const recover = async () => {
      for (const name of WRITERS) expectCommand(await services.writer(name).exited());
      await resetPositions();
    };
    await drill('Kafka, with new topics', lose, recover, { areReadsAnswered: true });
  });

  it('records that expired while ingest did not run', async () => {
    const lose = async () => {
      await services.stopWriters(['ingest']);
      ledger.reveal(LATER);
      await expireRecords(services.env);
    };
    const recover = () => {
      services.startWriters();
      return Promise.resolve();
    };
    await drill('records, without ingest', lose, recover, { areReadsAnswered: true });
  });
});
