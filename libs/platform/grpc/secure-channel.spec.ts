import { secureChannel } from './secure-channel';

/** The name that a client asks for in place of the host of the target. */
const nameFor = (target: string) => secureChannel(target).options['grpc.ssl_target_name_override'];

describe('secureChannel', () => {
  it.each([
    '10.0.0.1:50051',
    '[::1]:50051',
    'dns:///10.0.0.1:50051',
    'dns://192.0.2.1/10.0.0.1:50051',
    'dns:10.0.0.1',
    'ipv4:10.0.0.1:50051,10.0.0.2:50051',
    'ipv6:[2001:db8::1]:50051',
  ])('does not ask for an address: %s', (target) => {
    expect(nameFor(target)).toBe('address.invalid');
  });

  it.each([
    'localhost:50051',
    'grpc.example.com:443',
    'dns:///prover.fresnel.svc:50051',
    'dns://192.0.2.1/prover:50051',
    '10.0.0.1.example.com:443',
    '1234:443',
    'unix:/run/prover.sock',
  ])('asks for the host: %s', (target) => {
    expect(nameFor(target)).toBeUndefined();
  });
});
