import { redact, registerSecret } from './redaction';

describe('redact', () => {
  beforeAll(() => {
    registerSecret('postgres://fresnel:pg-pass%40word@db:5432/fresnel?application_name=projector');
    registerSecret('https://a.example/v2/key-in-path-1234?api-key=key-in-query-99&network=mainnet, https://b.example');
    registerSecret('postgres://fresnel:socket-pass@/main?host=/run/postgresql');
    registerSecret('https://user-key-1234@c.example/,https://bob:word-5678@d.example');
    registerSecret('wss://c.example/key-in-socket-7?api-key=key-of-socket-8');
    registerSecret('https://e.example/?key=key-of-history-1,sqd+https://f.example/key-of-history-2');
    registerSecret('sasl "secret"');
    registerSecret('x');
  });

  it.each([
    ['failed: postgres://fresnel:pg-pass%40word@db', 'failed: postgres://fresnel:[redacted]@db'],
    ['cannot connect with socket-pass', 'cannot connect with [redacted]'],
    ['https://user-key-1234@c.example', 'https://[redacted]@c.example'],
    [`Basic ${Buffer.from('bob:word-5678').toString('base64')} of bob`, 'Basic [redacted] of bob'],
    [`Basic ${Buffer.from('user-key-1234:').toString('base64')}`, 'Basic [redacted]'],
    ['{"args":["fresnel","pg-pass@word"]}', '{"args":["fresnel","[redacted]"]}'],
    ['GET /v2/key-in-path-1234?api-key=key-in-query-99', 'GET /v2/[redacted]?api-key=[redacted]'],
    ['wss://c.example/key-in-socket-7?api-key=key-of-socket-8', 'wss://c.example/[redacted]?api-key=[redacted]'],
    ['https://e.example/?key=key-of-history-1', 'https://e.example/?key=[redacted]'],
    ['https://f.example/key-of-history-2', 'https://f.example/[redacted]'],
    ['{"password":"sasl \\"secret\\""}', '{"password":"[redacted]"}'],
    [encodeURIComponent('sasl "secret"'), '[redacted]'],
  ])('removes the secrets of %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it('leaves the rest', () => {
    const text = 'fresnel connects to db:5432 as projector, to a.example on mainnet and to b.example, x';
    expect(redact(text)).toBe(text);
  });
});
