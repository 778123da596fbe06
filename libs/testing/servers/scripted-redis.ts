import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that speaks the protocol of Redis, with replies that a test decides. */
export interface ScriptedRedis {
  url: string;
  /** How many connections it has accepted. */
  readonly connections: number;
  close(): Promise<void>;
}

/**
 * Starts a server for replies that the installed Redis does not give, such as those of another version.
 *
 * @param reply returns the reply to a command as it is sent, without the last line break, such as `+OK` or `-LOADING …`
 */
export async function startScriptedRedis(reply: (command: string[]) => string): Promise<ScriptedRedis> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let received = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      const { commands, rest } = readCommands(received + chunk);
      received = rest;
      for (const command of commands) socket.write(`${reply(command)}\r\n`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) =>
        server.close(() => {
          done();
        }),
      );
    },
  };
}

/** A text in the form of a reply. */
export function bulkReply(text: string): string {
  return `$${text.length}\r\n${text}`;
}

/** Reads complete commands, each `*COUNT` and for each part `$LENGTH` and its bytes. */
function readCommands(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = [];
  let at = 0;
  const readLength = (from: number) => {
    const end = text.indexOf('\r\n', from);
    return end === -1 ? null : { value: Number(text.slice(from + 1, end)), next: end + 2 };
  };
  for (;;) {
    const count = readLength(at);
    if (count === null) break;
    const parts: string[] = [];
    let next = count.next;
    for (; parts.length < count.value;) {
      const length = readLength(next);
      if (length === null || length.next + length.value + 2 > text.length) return { commands, rest: text.slice(at) };
      parts.push(text.slice(length.next, length.next + length.value));
      next = length.next + length.value + 2;
    }
    commands.push(parts);
    at = next;
  }
  return { commands, rest: text.slice(at) };
}
