import { parseUrl, toEndpoint } from './urls';

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

describe('toEndpoint', () => {
  it.each([
    ['https://node.example', 'https://node.example/', undefined],
    ['https://node.example/v2/key?api-key=K&x=', 'https://node.example/v2/key?api-key=K&x=', undefined],
    ['https://user:pass@node.example/v2/?k=v', 'https://node.example/v2/?k=v', 'user:pass'],
    ['https://key@node.example', 'https://node.example/', 'key:'],
    ['http://user%40home:caf%C3%A9%20word@[::1]:8899/', 'http://[::1]:8899/', 'user@home:café word'],
    ['http://user:100%@node.example/', 'http://node.example/', 'user:100%'],
  ])('keeps path and query of %s, and sends its login in a header', (text, url, login) => {
    const headers = login === undefined ? {} : { authorization: basic(login) };
    expect(toEndpoint(text)).toEqual({ url, headers });
  });

  it.each([
    ['http://prover.example', 'http://prover.example/prove'],
    ['http://prover.example/?api-key=K', 'http://prover.example/prove?api-key=K'],
    ['http://prover.example/base?a=1&b=2', 'http://prover.example/base/prove?a=1&b=2'],
    ['http://prover.example/base//', 'http://prover.example/base/prove'],
  ])('adds a path to that of %s', (text, url) => {
    expect(toEndpoint(text, 'prove').url).toBe(url);
  });
});

describe('parseUrl', () => {
  it('reads the login of a Postgres URL without a host', () => {
    const url = parseUrl('postgres://user:pass@/main?host=/run/postgresql');
    expect([url?.username, url?.password, url?.pathname]).toEqual(['user', 'pass', '/main']);
    expect(url?.searchParams.get('host')).toBe('/run/postgresql');
  });

  it.each(['http://user@/path', 'node', ''])('is null for %p', (text) => {
    expect(parseUrl(text)).toBeNull();
  });
});
