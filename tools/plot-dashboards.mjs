// Draws the panels of each dashboard to an SVG, with the data of a Prometheus: to look at them without Grafana.
// `node tools/plot-dashboards.mjs http://127.0.0.1:9090 FOLDER [MINUTES]`

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const DASHBOARDS = join(dirname(dirname(fileURLToPath(import.meta.url))), 'k8s', 'components', 'dashboards');
/** Pixels of a cell of Grafana's grid, and of a line of text. */
const CELL = { w: 60, h: 36 };
const LINE = 13;
const POINTS = 120;
const COLORS = ['#3b7', '#e90', '#36c', '#c33', '#939', '#099', '#a63', '#666', '#c6c', '#690'];
/** @type {Record<string, (value: number) => string>} */
const FORMATS = {
  s: (value) => (value < 1 ? `${(value * 1000).toPrecision(3)} ms` : `${value.toPrecision(4)} s`),
  bytes: (value) => `${(value / 2 ** 20).toPrecision(4)} MiB`,
  percentunit: (value) => `${(value * 100).toPrecision(3)} %`,
  ops: (value) => `${value.toPrecision(3)}/s`,
};

const isFinitePair = (/** @type {number[]} */ pair) => pair.every(Number.isFinite);
const escape = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @typedef {{ legend: string, values: number[][] }} Series values: pairs of Unix seconds and a number */

const [, , url, folder, minutes = '15'] = argv;
const end = Date.now() / 1000;
const start = end - Number(minutes) * 60;
const step = (end - start) / POINTS;

for (const file of readdirSync(DASHBOARDS).filter((name) => name.endsWith('.json'))) {
  const { uid, title, panels } = JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8'));
  const drawn = await Promise.all(panels.map(drawPanel));
  const height = Math.max(...panels.map((/** @type {any} */ { gridPos }) => gridPos.y + gridPos.h)) * CELL.h;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${24 * CELL.w}" height="${height}" font-family="sans-serif" font-size="11">
<title>${title}</title><rect width="100%" height="100%" fill="#fff"/>${drawn.join('\n')}</svg>`;
  writeFileSync(join(folder, `${uid}.svg`), svg);
}

/**
 * @param {any} panel of Grafana's model
 * @returns {Promise<string>}
 */
async function drawPanel({ type, title, gridPos, targets = [], fieldConfig }) {
  const [x, y, w, h] = [gridPos.x * CELL.w, gridPos.y * CELL.h, gridPos.w * CELL.w - 8, gridPos.h * CELL.h - 8];
  const heading = `<text x="4" y="${LINE}" font-weight="bold">${escape(title)}</text>`;
  if (type === 'row') return `<g transform="translate(${x} ${y + 8})">${heading}</g>`;
  /** @type {Series[]} */
  const series = (await Promise.all(targets.map(readSeries))).flat();
  const format = FORMATS[fieldConfig.defaults.unit] ?? ((/** @type {number} */ value) => `${+value.toPrecision(4)}`);
  const max = Math.max(...series.flatMap(({ values }) => values.map(([, value]) => value)), 0);
  const plotHeight = h - LINE * 2 - 6 - (series.length + 1) * LINE;
  const toX = (/** @type {number} */ time) => (((time - start) / (end - start)) * w).toFixed(1);
  const toY = (/** @type {number} */ value) => (LINE * 2 + plotHeight * (1 - value / (max || 1))).toFixed(1);
  const lines = series.map(({ legend, values }, at) => {
    const color = COLORS[at % COLORS.length];
    const points = values.map(([time, value]) => `${toX(time)},${toY(value)}`);
    const last = values.length === 0 ? 'no data' : format(values[values.length - 1][1]);
    const legendY = LINE * 2 + plotHeight + (at + 1) * LINE;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}"/>
<text x="8" y="${legendY}" fill="${color}">${escape(legend)}: ${last}</text>`;
  });
  const scale = series.length === 0 ? 'no data' : `max ${format(max)}`;
  return `<g transform="translate(${x} ${y})"><rect width="${w}" height="${h}" fill="none" stroke="#bbb"/>${heading}
<text x="${w - 4}" y="${LINE}" text-anchor="end">${scale}</text>${lines.join('\n')}</g>`;
}

/**
 * @param {{ expr: string, legendFormat: string }} target
 * @returns {Promise<Series[]>}
 */
async function readSeries({ expr, legendFormat }) {
  const query = expr.replaceAll('$__rate_interval', `${Math.max(Math.ceil(step * 4), 20)}s`);
  const parameters = new URLSearchParams({ query, start: String(start), end: String(end), step: String(step) });
  const response = await fetch(`${url}/api/v1/query_range?${parameters}`);
  const { data, error } = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`${query}: ${error}`);
  return data.result.map((/** @type {any} */ { metric, values }) => ({
    legend: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? ''),
    values: values.map((/** @type {unknown[]} */ pair) => pair.map(Number)).filter(isFinitePair),
  }));
}
