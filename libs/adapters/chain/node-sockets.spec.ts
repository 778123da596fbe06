import { socketUrlOf } from './node-sockets';

it.each([
  ['http://127.0.0.1:8899', 'ws://127.0.0.1:8900/'],
  ['https://node.example.com/path?api-key=x', 'wss://node.example.com/path?api-key=x'],
  ['https://node.example.com:443/', 'wss://node.example.com/'],
  ['https://user:pass@node.example.com:8443/', 'wss://user:pass@node.example.com:8444/'],
  ['http://[::1]:80', 'ws://[::1]/'],
])('the subscriptions of %s are at %s', (rpcUrl, socketUrl) => {
  expect(socketUrlOf(rpcUrl)).toBe(socketUrl);
});
