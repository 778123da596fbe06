import { readConfig } from '@fresnel/platform';
import { GATEWAY_CONFIG } from './gateway.config';
import { listenPortsOf } from './listen-ports';

const portsOf = (env: NodeJS.ProcessEnv) => listenPortsOf(readConfig(GATEWAY_CONFIG, env));
const forwarding = { UPSTREAM_RPC_PASSTHROUGH: 'default' };

describe('the port for WebSockets', () => {
  it.each<[NodeJS.ProcessEnv, number | null]>([
    [{}, null],
    [{ GATEWAY_WS_PORT: '9000' }, null],
    [forwarding, 8785],
    [{ ...forwarding, GATEWAY_WS_PORT: '9000' }, 9000],
    [{ ...forwarding, GATEWAY_WS_PORT: '0' }, null],
  ])('of %j is %j', async (env, webSocketPort) => {
    expect(await portsOf(env)).toEqual({ port: 8784, webSocketPort });
  });

  it('must be set if the gateway has the last one', async () => {
    await expect(portsOf({ ...forwarding, GATEWAY_PORT: '65535' })).rejects.toThrow('GATEWAY_WS_PORT must be set');
  });
});
