import { CONTRACTS, InvalidParamsError } from '@fresnel/contracts/rpc';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { fuzz, hostileBytes, hostileJson, hostileText } from '@fresnel/testing/generic';
import { clientOf } from '../limits/client-address';
import { createTrust, hopsOf, parseTrustedProxies } from '../limits/trusted-proxies';
import { requireExact } from '../methods/forwarded.method';
import { parseForwardedMethods } from '../methods/forwarded-methods';
import { methodOfPath } from './method-path';
import { splitMinContextSlot } from './min-context-slot';
import { parseMessage } from './parse-message';

const RULES = { pathMethod: null, maxBatchEntries: 10 };
const CALLS = Object.values(CONTRACTS).map(({ name: method, example: { params } }, id) => ({
  ...{ jsonrpc: '2.0', id, method },
  ...(params !== undefined && { params }),
}));
const BODIES = [...CALLS, CALLS.slice(0, 3)].map((call) => JSON.stringify(call));

/** Ids are copied into answers. */
function expectJson(text: string): void {
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
}

describe('the body of a request', () => {
  const read = (body: Buffer) => {
    const { calls } = parseMessage(body, RULES);
    expect(calls.length).toBeGreaterThan(0);
    for (const { id } of calls) expectJson(id);
    return calls;
  };

  it('is at least one call, valid or not, for any bytes', () => {
    fuzz(hostileBytes(BODIES.map((body) => Buffer.from(body))), read);
  });

  it('is at least one call, valid or not, for any JSON, whose params are split and checked', () => {
    fuzz(
      hostileJson(BODIES),
      (body) => {
        for (const call of read(Buffer.from(body))) {
          if ('params' in call) requireExact(splitMinContextSlot(call.params).params);
        }
      },
      { throws: [InvalidParamsError] },
    );
  });
});

describe('a request target', () => {
  it('names a method or none, for any text', () => {
    fuzz(hostileText(['/getIndexerHealth', 'http://[::1]:8784//getIndexerSlot/?a=b#c']), methodOfPath);
  });
});

describe('proxies', () => {
  const LISTS = ['10.0.0.0/8, 127.0.0.1', '2', '::ffff:10.0.0.0/104,2001:db8::/32', 'fe80::1%eth0'];

  it('are addresses and networks, or rejected with MalformedTextError', () => {
    fuzz(hostileText(LISTS), (text) => createTrust(parseTrustedProxies(text)), { throws: [MalformedTextError] });
  });

  it('may send any header', () => {
    const trust = createTrust(['10.0.0.0/8', '::/0']);
    fuzz(hostileText(LISTS), (header) => clientOf(hopsOf('10.0.0.1', header, trust)));
  });
});

describe('a list of forwarded methods', () => {
  it('is read, or rejected with MalformedTextError', () => {
    fuzz(hostileText(['default', 'getSlot, getHealth,default']), parseForwardedMethods, {
      throws: [MalformedTextError],
    });
  });
});
