import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '..', '..', '..', 'k8s', 'components', 'dashboards');

export interface GridPosition {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A panel as tests read it. A row has no targets. */
export interface PanelModel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: GridPosition;
  datasource?: { uid: string };
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { expr: string; datasource: { uid: string } }[];
}

export interface DashboardModel {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: PanelModel[];
}

/** The dashboards that are deployed, by the name of their file. */
export function readDashboards(): Map<string, DashboardModel> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as DashboardModel]));
}

export interface PanelQuery {
  /** Dashboard and panel. */
  name: string;
  expr: string;
}

/** All queries of all panels. @param rateInterval replaces Grafana's variable */
export function listQueries(rateInterval: string): PanelQuery[] {
  return [...readDashboards().values()].flatMap(({ title: dashboard, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({
        name: `${dashboard}: ${title}`,
        expr: expr.replaceAll('$__rate_interval', rateInterval),
      })),
    ),
  );
}
