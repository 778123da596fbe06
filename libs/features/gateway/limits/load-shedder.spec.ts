import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import { createRegistry } from '@fresnel/platform';
import { LoadShedder } from './load-shedder';

const LIMITER: RateLimiter = {
  limit: { points: 1, windowSeconds: 1 },
  consume: () => Promise.reject(new Error('unexpected call')),
  charge: () => Promise.reject(new Error('unexpected call')),
};
const OPTIONS = {
  GATEWAY_MAX_REQUESTS_IN_FLIGHT: 8,
  GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT: 1000,
  GATEWAY_MAX_EVENT_LOOP_DELAY_MS: 60_000,
};

describe('a load shedder', () => {
  const registry = createRegistry();
  const metric = async (line: string) => (await registry.metrics()).includes(`\n${line}\n`);
  let shedder: LoadShedder;
  beforeEach(() => {
    registry.clear();
  });
  afterEach(() => {
    shedder.onModuleDestroy();
  });

  it('admits requests up to the maximum in flight, and a quarter of them for one client', async () => {
    shedder = new LoadShedder(OPTIONS, LIMITER, registry);
    const requests = ['a', 'a', 'b', 'b', 'c', 'c', 'd'].map((client) => shedder.admit(client));
    expect(requests).not.toContain(null);
    expect(shedder.admit('a')).toBeNull();
    expect(await metric('fresnel_gateway_requests_shed_total{reason="client-requests"} 1')).toBe(true);
    expect(shedder.admit('d')).not.toBeNull();
    expect(shedder.admit('e')).toBeNull();
    expect(await metric('fresnel_gateway_requests_shed_total{reason="requests"} 1')).toBe(true);
    requests[0]?.end();
    expect(shedder.admit('a')).not.toBeNull();
  });

  it('admits no request while responses in flight exceed their budget', async () => {
    shedder = new LoadShedder(OPTIONS, LIMITER, registry);
    const slow = shedder.admit('slow');
    slow?.addResponse(250);
    expect(shedder.admit('slow')).toBeNull();
    const [b, c] = [shedder.admit('b'), shedder.admit('c')];
    b?.addResponse(750);
    expect(shedder.admit('d')).toBeNull();
    expect(await metric('fresnel_gateway_responses_in_flight_bytes 1000')).toBe(true);
    for (const request of [slow, b, c]) request?.end();
    expect(await metric('fresnel_gateway_responses_in_flight_bytes 0')).toBe(true);
    expect(await metric('fresnel_gateway_requests_in_flight 0')).toBe(true);
    expect(shedder.admit('slow')).not.toBeNull();
  });

  it('does not distinguish clients without a rate limit', () => {
    shedder = new LoadShedder(OPTIONS, null, registry);
    const requests = Array.from({ length: 9 }, () => shedder.admit('proxy'));
    expect(requests.map((request) => request !== null)).toEqual([...Array<boolean>(8).fill(true), false]);
  });
});
