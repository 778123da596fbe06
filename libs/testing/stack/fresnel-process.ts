import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS, postJson } from '@fresnel/testing/generic';
import { readCpuSeconds, readPeakMemory } from './process-memory';

const ROOT = join(__dirname, '..', '..', '..');
/** The npm that runs the tests, else the one beside Node. */
const NPM = process.env.npm_execpath ?? join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
/** Commands from the repository's root: the standalone process, the stack, or one app. */
const COMMANDS = {
  fresnel: ['bin/fresnel.mjs'],
  npm: [NPM, 'start'],
  stack: ['tools/run-app.mjs', 'stack'],
  gateway: ['tools/run-app.mjs', 'gateway'],
  ingest: ['tools/run-app.mjs', 'ingest'],
  migrate: ['tools/run-app.mjs', 'migrate'],
  projector: ['tools/run-app.mjs', 'projector'],
  prover: ['tools/run-app.mjs', 'prover'],
};

export type CommandName = keyof typeof COMMANDS;

/** Environment variables of a command. Besides these it gets only PATH and HOME of the test process. */
export type Environment = Record<string, string>;

export interface ExitResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A Fresnel command in its own process. */
export class FresnelProcess {
  private stdout = '';
  private stderr = '';
  private readonly exitResult: Promise<ExitResult>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.exitResult = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  static start(args: readonly string[], variables: Environment = {}, command: CommandName = 'fresnel'): FresnelProcess {
    const { PATH = '', HOME = '' } = process.env;
    const env = {
      PATH,
      HOME,
      GATEWAY_PORT: '0',
      HEALTH_PORT: '0',
      RATE_LIMIT_ENABLED: 'false',
      SHUTDOWN_DRAIN_MS: '0',
      ...variables,
    };
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    return new FresnelProcess(spawn(process.execPath, [...COMMANDS[command], ...args], { cwd: ROOT, env, stdio }));
  }

  /** Runs a command to its exit. */
  static run(args: readonly string[], variables?: Environment, command?: CommandName): Promise<ExitResult> {
    return FresnelProcess.start(args, variables, command).exitResult;
  }

  /** Stdout and stderr so far. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  /**
   * Waits until stdout or stderr matches.
   *
   * @throws if the process exits first, or on timeout
   */
  async waitFor(pattern: RegExp, timeoutMs = PATIENCE_MS): Promise<RegExpExecArray> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      this.requireAlive(deadline, String(pattern));
      await sleep(50);
    }
  }

  /** The URL of the gateway. */
  async url(timeoutMs = PATIENCE_MS): Promise<string> {
    return (await this.waitFor(/"url":"(http:[^"]*)"/, timeoutMs))[1];
  }

  /** The highest resident memory of the process so far, in bytes. NaN where the system does not report it. */
  peakMemory(): number {
    return readPeakMemory(this.child.pid ?? 0);
  }

  /** The CPU time of the process so far. NaN where the system does not report it. */
  cpuSeconds(): number {
    return readCpuSeconds(this.child.pid ?? 0);
  }

  /** Waits until a slot is indexed. */
  async waitForSlot(slot: number, timeoutMs = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    const url = await this.url(timeoutMs);
    const call = { jsonrpc: '2.0', id: 1, method: 'getIndexerSlot', params: [] };
    for (;;) {
      const result = await getIndexerSlot(url, call);
      if (result !== undefined && result >= slot) return;
      this.requireAlive(deadline, `slot ${slot}, the indexed slot is ${result}`);
      await sleep(50);
    }
  }

  /** Whether the process has exited. Its children may still write to its outputs. */
  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Sends a signal, and does not wait for its effect. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits until the process has exited. */
  async end(signal: NodeJS.Signals): Promise<ExitResult> {
    this.child.kill(signal);
    return this.exited();
  }

  /** Waits until the process has exited. */
  exited(): Promise<ExitResult> {
    return this.exitResult;
  }

  private requireAlive(deadline: number, awaited: string): void {
    const { exitCode, signalCode } = this.child;
    const exit = exitCode ?? signalCode;
    if (exit === null && Date.now() <= deadline) return;
    const state = exit === null ? 'runs' : `has exited (${exit})`;
    throw new Error(`waited in vain for ${awaited}; the process ${state}; its output:\n${this.output}`);
  }
}

/** @returns undefined while the gateway does not answer */
async function getIndexerSlot(url: string, call: object): Promise<number | undefined> {
  const answer = await postJson(url, call).catch(() => null);
  return (answer?.body as { result?: number } | undefined)?.result;
}
