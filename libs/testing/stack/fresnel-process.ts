import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '@fresnel/testing/generic';

const ROOT = join(__dirname, '..', '..', '..');
/** From the package's root: one process, the whole stack, or a service of it. */
const COMMANDS = {
  fresnel: ['bin/fresnel.mjs'],
  stack: ['tools/run-app.mjs', 'stack'],
  projector: ['tools/run-app.mjs', 'projector'],
  prover: ['tools/run-app.mjs', 'prover'],
};

export type CommandName = keyof typeof COMMANDS;
const PATIENCE_MS = 60_000;

/** Settings of a run. Nothing else of this process's own environment gets through that would change it. */
export type Settings = Record<string, string>;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command of Fresnel's as a process of its own. */
export class FresnelProcess {
  private stdout = '';
  private stderr = '';
  private readonly ended: Promise<Ended>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  static start(args: readonly string[], settings: Settings = {}, command: CommandName = 'fresnel'): FresnelProcess {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, GATEWAY_PORT: '0', RATE_LIMIT_ENABLED: 'false', ...settings };
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    return new FresnelProcess(spawn(process.execPath, [...COMMANDS[command], ...args], { cwd: ROOT, env, stdio }));
  }

  /** Runs a command to its end. */
  static run(args: readonly string[], settings?: Settings): Promise<Ended> {
    return FresnelProcess.start(args, settings).ended;
  }

  /** Everything on its outputs so far. */
  get said(): string {
    return this.stdout + this.stderr;
  }

  /**
   * Waits for something on either output.
   *
   * @throws when the process ends first, or says nothing of the kind in time
   */
  async waitFor(pattern: RegExp, patienceMs = PATIENCE_MS): Promise<RegExpExecArray> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const match = pattern.exec(this.said);
      if (match) return match;
      this.requireAlive(deadline, String(pattern));
      await sleep(20);
    }
  }

  /** Where it answers requests. */
  async url(patienceMs = PATIENCE_MS): Promise<string> {
    return (await this.waitFor(/"url":"(http:[^"]*)"/, patienceMs))[1];
  }

  /** Waits until a slot is indexed. */
  async waitForSlot(slot: number, patienceMs = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + patienceMs;
    const url = await this.url(patienceMs);
    const call = { jsonrpc: '2.0', id: 1, method: 'getIndexerSlot', params: [] };
    for (;;) {
      const result = await ask(url, call);
      if (result !== undefined && result >= slot) return;
      this.requireAlive(deadline, `slot ${slot}, it is at ${result}`);
      await sleep(20);
    }
  }

  /** Whether it has ended; what it started may hold its outputs open still. */
  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Sends a signal that does not end it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.whenEnded();
  }

  /** Waits until it ends by itself. */
  whenEnded(): Promise<Ended> {
    return this.ended;
  }

  private requireAlive(deadline: number, wanted: string): void {
    const { exitCode, signalCode } = this.child;
    const end = exitCode ?? signalCode;
    if (end === null && Date.now() <= deadline) return;
    const state = end === null ? 'runs' : `has ended (${end})`;
    throw new Error(`waited in vain for ${wanted}; the process ${state} and said:\n${this.said}`);
  }
}

/** @returns undefined while nobody answers */
async function ask(url: string, call: object): Promise<number | undefined> {
  const answer = await postJson(url, call).catch(() => null);
  return (answer?.body as { result?: number } | undefined)?.result;
}
