import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDefinedMetrics } from '@fresnel/testing/generic';
import { type GridPosition, listQueries, readDashboards } from './dashboards';

const ROOT = join(__dirname, '..', '..', '..');
const FOLDER = join(ROOT, 'k8s', 'components', 'dashboards');
const MAX_DASHBOARDS = 3;
const GRID_WIDTH = 24;

const overlap = (a: GridPosition, b: GridPosition) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('the dashboards', () => {
  const dashboards = readDashboards();

  it('are those that the generator writes, and all of them are deployed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-dashboards-'));
    expect(spawnSync(process.execPath, [join(ROOT, 'tools', 'make-dashboards.mjs'), folder]).status).toBe(0);
    const kustomization = readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8');
    for (const file of dashboards.keys()) {
      expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(FOLDER, file), 'utf8'));
      expect(kustomization).toContain(`- ${file}\n`);
    }
    rmSync(folder, { recursive: true });
    expect(dashboards.size).toBe(MAX_DASHBOARDS);
    expect(new Set([...dashboards.values()].map(({ uid }) => uid)).size).toBe(dashboards.size);
  });

  it.each([...dashboards])('%s is a valid model', (_, { schemaVersion, templating, panels }) => {
    expect(schemaVersion).toBeGreaterThan(30);
    expect(templating.list).toMatchObject([{ name: 'datasource', type: 'datasource', query: 'prometheus' }]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(GRID_WIDTH);
      expect(panels.filter((other) => overlap(gridPos, other.gridPos))).toHaveLength(1);
    }
  });

  it.each([...dashboards])('%s explains each panel, its unit and its data source', (_, { panels }) => {
    for (const { type, title, description, fieldConfig, datasource, targets = [] } of panels) {
      if (type === 'row') continue;
      expect([title, description, fieldConfig?.defaults.unit]).toEqual([
        title,
        expect.stringMatching(/^[A-Z0-9].{20,}\.$/),
        expect.stringMatching(/^(s|bytes|ops|none|short|percentunit)$/),
      ]);
      expect(targets.length).toBeGreaterThan(0);
      for (const target of [{ datasource }, ...targets]) expect(target.datasource?.uid).toBe('${datasource}');
    }
  });

  it('use every metric that exists, apart from a few, and no other', () => {
    const text = listQueries('5m').map(({ expr }) => expr);
    const used = new Set(text.flatMap((expr) => expr.match(/\bfresnel_\w+/g) ?? []));
    const baseNames = new Set([...used].map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    const defined = findDefinedMetrics(ROOT).map(({ name }) => name);
    expect([...baseNames].filter((name) => !defined.includes(name))).toEqual([]);
    expect(defined.filter((name) => !baseNames.has(name))).toEqual([
      'fresnel_build_info',
      // Only with SOLANA_RPC_URL.
      'fresnel_gateway_node_request_seconds',
      // Only with UPSTREAM_RPC_PASSTHROUGH.
      'fresnel_gateway_subscriptions',
      // Only with VALIDITY_PROVER_URL.
      'fresnel_gateway_validity_proof_seconds',
      'fresnel_gateway_websockets',
      // An alert reports each one.
      'fresnel_ingest_final_forks_total',
      // Grows only after the positions of a log were reset.
      'fresnel_kafka_outdated_records_total',
      // Only with REDIS_READ_URL.
      'fresnel_prover_primary_reads_total',
      // Grows only when a partition is claimed.
      'fresnel_prover_tree_loads_total',
    ]);
  });
});
