import { Registry } from '@fresnel/platform';
import { createCommandMeter } from './redis.metrics';

it('measures commands by server, name and outcome, and returns what the connection returns', async () => {
  const registry = new Registry();
  const callBuffer = jest.fn((command: string) =>
    command === 'HGET' ? Promise.resolve('reply') : Promise.reject(new Error('refused')),
  );
  const on = jest.fn();
  const redis = createCommandMeter(registry)('replica', { callBuffer, on });
  expect(await redis.callBuffer('HGET', 'key', 'field')).toBe('reply');
  expect(callBuffer).toHaveBeenCalledWith('HGET', 'key', 'field');
  await expect(redis.callBuffer('EVALSHA', 'sha')).rejects.toThrow('refused');
  const listener = () => undefined;
  redis.on('ready', listener);
  expect(on).toHaveBeenCalledWith('ready', listener);
  const lines = (await registry.metrics()).split('\n').filter((line) => line.includes('_count'));
  expect(lines).toEqual([
    'fresnel_prover_redis_seconds_count{server="replica",command="hget",outcome="ok"} 1',
    'fresnel_prover_redis_seconds_count{server="replica",command="evalsha",outcome="failed"} 1',
  ]);
});
