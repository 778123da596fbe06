import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireProgram } from '@fresnel/adapters/local-servers';
import { findFreePort, SupervisedProcess } from '@fresnel/platform';
import { eventually, sendHttp } from '@fresnel/testing/generic';
import { type AlertRules } from './alert-rules';

/** A process whose metrics are scraped. */
export interface ScrapedProcess {
  /** The label `service`. */
  service: string;
  port: number;
}

/** One series of the result of a query. */
export interface Sample {
  metric: Record<string, string>;
  /** Unix seconds, and the value as text. */
  value: [number, string];
}

const INTERVAL = '1s';

/** A Prometheus that scrapes processes of this machine every second, and evaluates rules as often. */
export class PrometheusServer {
  private constructor(
    readonly url: string,
    private readonly server: SupervisedProcess,
    private readonly folder: string,
  ) {}

  /** The increase of a counter is seen from the first scrape on: each process has been scraped when this ends. */
  static async start(processes: readonly ScrapedProcess[], rules: AlertRules): Promise<PrometheusServer> {
    requireProgram('prometheus', 'apt-get install -y prometheus');
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-prometheus-'));
    // YAML contains JSON.
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify(rules));
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(describeConfig(processes)));
    const address = `127.0.0.1:${await findFreePort()}`;
    const args = ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=${address}`];
    const server = await SupervisedProcess.start({
      program: 'prometheus',
      args,
      readyLine: /Server is ready to receive web requests/,
      logsTo: 'stderr',
      options: { cwd: folder },
    });
    const prometheus = new PrometheusServer(`http://${address}`, server, folder);
    const findScraped = () => prometheus.query('up == 1');
    await eventually('each process is scraped', async () => (await findScraped()).length === processes.length);
    return prometheus;
  }

  /** Evaluates an expression now. @throws if it is wrong */
  async query(expr: string): Promise<Sample[]> {
    const { result } = (await this.get(`query?query=${encodeURIComponent(expr)}`)) as { result: Sample[] };
    return result;
  }

  /** The names of the alerts that fire. */
  async firing(): Promise<Set<string>> {
    const { alerts } = (await this.get('alerts')) as { alerts: { labels: { alertname: string }; state: string }[] };
    return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  }

  /** Waits until each alert has fired. On a busy machine one may end before another begins: an increase is seen for seconds. */
  async waitUntilFiring(...names: readonly string[]): Promise<void> {
    const waiting = new Set(names);
    await this.waitUntil(`${names.join(', ')} fire`, (firing) => {
      for (const name of firing) waiting.delete(name);
      return waiting.size === 0;
    });
  }

  /** Waits until alerts do not fire. */
  async waitUntilQuiet(...names: readonly string[]): Promise<void> {
    await this.waitUntil(`${names.join(', ')} do not fire`, (firing) => !names.some((name) => firing.has(name)));
  }

  async close(): Promise<void> {
    await this.server.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async waitUntil(description: string, condition: (firing: Set<string>) => boolean): Promise<void> {
    let firing = new Set<string>();
    const check = async () => condition((firing = await this.firing()));
    await eventually(description, check).catch((error: unknown) => {
      throw new Error(`${description}: in vain; firing are ${[...firing].join(', ') || 'none'}`, { cause: error });
    });
  }

  private async get(path: string): Promise<unknown> {
    const { status, text } = await sendHttp(`${this.url}/api/v1/${path}`, { method: 'GET', headers: {} });
    const { data, error } = JSON.parse(text) as { data?: unknown; error?: string };
    if (status !== 200) throw new Error(`Prometheus answers ${path} with ${status}: ${error}`);
    return data;
  }
}

function describeConfig(processes: readonly ScrapedProcess[]): object {
  return {
    global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      {
        job_name: 'fresnel',
        static_configs: processes.map(({ service, port }) => ({
          targets: [`127.0.0.1:${port}`],
          labels: { service },
        })),
      },
    ],
  };
}
