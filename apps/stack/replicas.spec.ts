import { DEFAULT_REPLICAS, parseReplicas } from './replicas';

describe('the number of replicas', () => {
  it('is the default for services that are not named', () => {
    expect(parseReplicas('projector=1, gateway=0')).toEqual({ ...DEFAULT_REPLICAS, projector: 1, gateway: 0 });
  });

  it.each(['', 'ingest', 'ingest=-1', 'ingest=1.5', 'kafka=1', 'ingest=1;prover=2', 'ingest=100'])(
    'rejects %j',
    (text) => {
      expect(() => parseReplicas(text)).toThrow('expected a service and a number, such as ingest=2,projector=3');
    },
  );
});
