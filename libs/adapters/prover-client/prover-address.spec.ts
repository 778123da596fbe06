import { MalformedTextError } from '@fresnel/domain/primitives';
import { toTarget } from './prover-address';

describe('the address of provers', () => {
  it.each([
    ['prover:50051', 'dns:///prover:50051'],
    ['prover.fresnel.svc.cluster.local:50051', 'dns:///prover.fresnel.svc.cluster.local:50051'],
    ['127.0.0.1:50051', 'dns:///127.0.0.1:50051'],
    ['[::1]:50051', 'dns:///[::1]:50051'],
    ['10.0.0.1:1, 10.0.0.2:2', 'ipv4:10.0.0.1:1,10.0.0.2:2'],
    ['dns:///prover:50051', 'dns:///prover:50051'],
    ['unix:/run/prover.sock', 'unix:/run/prover.sock'],
  ])('%s has the gRPC target %s', (address, target) => {
    expect(toTarget(address)).toBe(target);
  });

  it.each(['', 'prover', 'prover:', 'prover:0', 'prover:65536', 'pro ver:1', '10.0.0.1:1,', 'a:1,b:2'])(
    'cannot be %j',
    (address) => {
      expect(() => toTarget(address)).toThrow(MalformedTextError);
    },
  );
});
