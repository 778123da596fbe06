import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { sendHttp } from '@fresnel/testing/generic';
import { startRoundRobin } from './round-robin';

describe('the round robin', () => {
  const servers: Server[] = [];
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  async function startNamed(name: string): Promise<Server> {
    const server = createServer((request, response) => request.pipe(response.setHeader('x-name', name)));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    servers.push(server);
    return server;
  }
  afterAll(() => {
    for (const server of servers) server.close();
  });

  it('forwards to each port in turn, and skips ports that refuse connections', async () => {
    const [one, two, gone] = [await startNamed('one'), await startNamed('two'), await startNamed('gone')];
    const ports = [one, gone, two].map(portOf);
    await new Promise((done) => gone.close(done));
    const robin = await startRoundRobin('127.0.0.1', 0, ports);
    const names = new Set<unknown>();
    for (let at = 0; at < 6; at++) {
      const { status, headers, text } = await sendHttp(`http://127.0.0.1:${robin.port}`, { body: `body ${at}` });
      expect([status, text]).toEqual([200, `body ${at}`]);
      names.add(headers['x-name']);
    }
    expect(names).toEqual(new Set(['one', 'two']));
    await robin.close();
    await expect(sendHttp(`http://127.0.0.1:${robin.port}`)).rejects.toThrow('ECONNREFUSED');
  });

  it('closes the connection if every port refuses it', async () => {
    const gone = await startNamed('gone');
    const port = portOf(gone);
    await new Promise((done) => gone.close(done));
    const robin = await startRoundRobin('127.0.0.1', 0, [port]);
    await expect(sendHttp(`http://127.0.0.1:${robin.port}`)).rejects.toThrow(/socket hang up|ECONNRESET/);
    await robin.close();
  });
});
