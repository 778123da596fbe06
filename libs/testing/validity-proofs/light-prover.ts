import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, SupervisedProcess } from '@fresnel/platform';
import { eventually, sendHttp } from '@fresnel/testing/generic';
import { readVerifyingKey, type VerifyingKey } from './groth16';

/** What one proof covers. */
export interface ProofSize {
  version: 1 | 2;
  accounts: number;
  addresses: number;
}

/** The mode with the few circuits whose keys are in the package. */
const RUN_MODE = 'local-rpc';
const LOAD_TIMEOUT_MS = 300_000;

/**
 * Light Protocol's prover as a process, with the proving keys of the same package. `tools/test-prover.mjs` fetches both, and
 * names their folder in `LIGHT_PROVER_FOLDER`.
 */
export class LightProver {
  private readonly keys = new Map<string, VerifyingKey>();

  private constructor(
    readonly url: string,
    private readonly bin: string,
    private readonly server: SupervisedProcess,
  ) {}

  /** Starts the process, and does not wait until it has loaded its keys. */
  static async start(): Promise<LightProver> {
    const { LIGHT_PROVER_FOLDER } = process.env;
    if (!LIGHT_PROVER_FOLDER) throw new Error('run this suite with `npm run test:prover`');
    const bin = join(LIGHT_PROVER_FOLDER, 'bin');
    const [address, metricsAddress] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
    const args = [
      ...['start', '--server-only', '--run-mode', RUN_MODE, '--keys-dir', `${join(bin, 'proving-keys')}/`],
      ...['--prover-address', address, '--metrics-address', metricsAddress],
    ];
    const server = await SupervisedProcess.start({
      program: programIn(bin),
      args,
      readyLine: /Running in local-rpc mode/,
      logsTo: 'stderr',
      options: { cwd: bin },
    });
    return new LightProver(`http://${address}`, bin, server);
  }

  /** Waits until it answers requests. */
  async waitUntilReady(): Promise<void> {
    const hasExited = this.server.exited().then(() => {
      throw new Error('the prover has exited');
    });
    const isReady = eventually('the prover has loaded its keys', () => isHealthy(this.url), LOAD_TIMEOUT_MS);
    await Promise.race([isReady, hasExited]);
  }

  /** The key of the circuit of a size. */
  verifyingKey(size: ProofSize): VerifyingKey {
    const file = keyFileOf(size);
    const key = this.keys.get(file) ?? this.exportVerifyingKey(file);
    this.keys.set(file, key);
    return key;
  }

  async close(): Promise<void> {
    await this.server.kill();
  }

  /** The files contain the proving key, too. The prover's own command writes the verifying key alone. */
  private exportVerifyingKey(file: string): VerifyingKey {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-verifying-key-'));
    const output = join(folder, 'key');
    try {
      const args = ['export-vk', '--keys-file', join(this.bin, 'proving-keys', file), '--output', output];
      const { status, stderr } = spawnSync(programIn(this.bin), args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`the prover exports no verifying key of ${file}: ${stderr}`);
      return readVerifyingKey(readFileSync(output));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

function programIn(bin: string): string {
  return join(bin, `prover-${process.platform}-${process.arch}`);
}

function keyFileOf({ version, accounts, addresses }: ProofSize): string {
  const [stateHeight, addressHeight] = version === 1 ? [26, 26] : [32, 40];
  if (addresses === 0) return `${version === 1 ? 'mainnet_' : ''}inclusion_${stateHeight}_${accounts}.key`;
  if (accounts === 0) return `non-inclusion_${addressHeight}_${addresses}.key`;
  return `combined_${version === 1 ? '26' : '32_40'}_${accounts}_${addresses}.key`;
}

async function isHealthy(url: string): Promise<boolean> {
  const response = await sendHttp(`${url}/health`, { method: 'GET' }).catch(() => null);
  return response?.status === 200;
}
