import { BUS, KafkaBus } from '@fresnel/adapters/bus';
import { Database } from '@fresnel/adapters/store-schema';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { PROOF_STORE, RedisTreeStore, ReplicaProofStore, TREE_STORE } from '@fresnel/adapters/tree-store';
import { type ProverRole } from '@fresnel/features/prover';
import { TreeWriterTask } from '@fresnel/features/prover/nest';
import { CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule } from './app.module';
import { APP_CONFIG } from './app.config';

const READER_ENV = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'silent' };
const WRITER_ENV = { ...READER_ENV, KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x' };

describe('the prover module', () => {
  let module: TestingModule | undefined;
  afterEach(() => module?.close());

  async function compile(role: ProverRole, env: Record<string, string>): Promise<TestingModule> {
    module = await Test.createTestingModule({ imports: [AppModule.forRole(role)] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, { ...env, PROVER_ROLE: role }))
      .compile();
    return module;
  }
  const find = (token: symbol | typeof Database | typeof TreeWriterTask) =>
    module?.get<unknown>(token, { strict: false });

  it('consumes Kafka and serves proofs of the trees in Redis by default', async () => {
    const role = readConfig(APP_CONFIG, WRITER_ENV).PROVER_ROLE;
    await compile(role, WRITER_ENV);
    expect(find(BUS)).toBeInstanceOf(KafkaBus);
    expect(find(TreeWriterTask)).toBeInstanceOf(TreeWriterTask);
    expect(find(TREE_STORE)).toBeInstanceOf(RedisTreeStore);
    expect(find(PROVER_CLIENT)).toHaveProperty('proveNewAddresses');
  });

  it('serves no proofs as a writer', async () => {
    await compile('writer', WRITER_ENV);
    expect(find(TreeWriterTask)).toBeInstanceOf(TreeWriterTask);
    expect(find(Database)).toBeInstanceOf(Database);
    expect(() => find(PROVER_CLIENT)).toThrow('could not find');
  });

  it('reads proofs from the replica if there is one', async () => {
    await compile('reader', { ...READER_ENV, REDIS_READ_URL: 'redis://127.0.0.1:1' });
    expect(find(PROOF_STORE)).toBeInstanceOf(ReplicaProofStore);
  });

  it('needs neither Kafka nor Postgres as a reader, and consumes nothing', async () => {
    await compile('reader', READER_ENV);
    expect(find(PROVER_CLIENT)).toHaveProperty('proveNewAddresses');
    for (const token of [BUS, Database]) expect(() => find(token)).toThrow('could not find');
    expect(() => find(TreeWriterTask)).toThrow('could not find');
  });

  it.each(['writer', 'both'])('requires brokers and database as %s', (role) => {
    const read = () => readConfig(APP_CONFIG, { ...READER_ENV, PROVER_ROLE: role });
    for (const name of ['KAFKA_BROKERS', 'DATABASE_URL']) expect(read).toThrow(`${name}: must be set`);
  });
});
