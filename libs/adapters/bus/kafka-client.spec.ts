import { captureLog } from '@fresnel/testing/generic';
import { logLevel } from 'kafkajs';
import { describeClient } from './kafka-client';

const BASE = { brokers: ['a:9092', 'b:9092'], clientId: 'ingest' };

describe('the Kafka client', () => {
  it('is configured with brokers, TLS and credentials', () => {
    const ssl = { ca: 'a CA', cert: 'a certificate', key: 'a key', rejectUnauthorized: true };
    const sasl = { mechanism: 'scram-sha-512' as const, username: 'user', password: 'secret' };
    const { logger } = captureLog();
    expect(describeClient({ ...BASE, ssl, sasl }, logger)).toMatchObject({ ...BASE, ssl, sasl });
    expect(describeClient({ ...BASE, ssl: true }, logger)).toMatchObject({ ssl: true, sasl: undefined });
    expect(describeClient(BASE, logger).ssl).toBeUndefined();
  });

  it('logs at debug level, because it logs each retry', () => {
    const { logger, lines } = captureLog();
    const write = describeClient(BASE, logger).logCreator?.(logLevel.DEBUG);
    const entry = (level: logLevel, message: string) =>
      write?.({ namespace: 'Runner', level, label: '', log: { timestamp: 'now', message, topic: 'a' } });
    entry(logLevel.ERROR, 'Connection timeout');
    entry(logLevel.WARN, 'The group is rebalancing');
    entry(logLevel.DEBUG, 'Request');
    expect(lines).toEqual([
      { level: 'debug', kafka: 'Runner', topic: 'a', msg: 'Connection timeout' },
      { level: 'debug', kafka: 'Runner', topic: 'a', msg: 'The group is rebalancing' },
      { level: 'trace', kafka: 'Runner', topic: 'a', msg: 'Request' },
    ]);
  });
});
