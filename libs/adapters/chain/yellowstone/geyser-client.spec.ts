import { GeyserEndpointError, parseGeyserUrl } from './geyser-client';

describe('parseGeyserUrl', () => {
  it.each([
    ['https://grpc.example.com', 'grpc.example.com:443', true],
    ['https://grpc.example.com:10000/', 'grpc.example.com:10000', true],
    ['http://localhost', 'localhost:80', false],
    ['http://127.0.0.1:10000', '127.0.0.1:10000', false],
    ['http://[::1]:10000', '[::1]:10000', false],
  ])('reads host, port and TLS from %s', (url, target, isSecure) => {
    expect(parseGeyserUrl(url)).toEqual({ target, isSecure });
  });

  it.each(['grpc.example.com:10000', 'ftp://key.example.com', 'key', ''])(
    'rejects %p and does not repeat it in the error',
    (url) => {
      const parse = () => parseGeyserUrl(url);
      expect(parse).toThrow(GeyserEndpointError);
      expect(parse).toThrow(/must start with https:\/\/ or http:\/\/$/);
    },
  );
});
