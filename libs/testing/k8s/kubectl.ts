import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** Runs kubectl against the cluster of KUBECONFIG. @returns its output @throws an error with its messages */
export async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('kubectl', args, { stdio: 'pipe' });
  child.stdin.end(input);
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${messages}`);
  return output;
}

/** A port of this machine that is forwarded to a service. */
export interface ForwardedPort {
  url: string;
  stop(): Promise<void>;
}

/**
 * Forwards a port of this machine to a service.
 *
 * @param port of this machine; 0 for any free port
 */
export async function forwardPort(
  namespace: string,
  service: string,
  target: string,
  port = 0,
): Promise<ForwardedPort> {
  const args = ['--namespace', namespace, 'port-forward', `service/${service}`, `${port}:${target}`];
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const actualPort = await readForwardedPort(child);
  return {
    url: `http://127.0.0.1:${actualPort}`,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function readForwardedPort({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('kubectl has no output');
  for await (const line of createInterface(stdout)) {
    const match = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line);
    if (match) {
      stdout.resume();
      return Number(match[1]);
    }
  }
  throw new Error('kubectl does not forward the port');
}
