// Turns a short description of a dashboard into the JSON model of Grafana.

/**
 * @typedef {object} Query
 * @property {string} expr PromQL; `$__rate_interval` is the interval that Grafana chooses for rates
 * @property {string} [legend] `{{label}}` stands for the value of a label; without it, the panel's title
 *
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} description what the panel shows, and which values are good
 * @property {string} unit as Grafana names it: `s`, `short`, `ops`, `bytes`, `percentunit`, `none`
 * @property {Query[]} queries
 * @property {'timeseries' | 'stat'} [type] default: `timeseries`
 * @property {number} [alarm] a stat from this value on is red
 *
 * @typedef {object} Row
 * @property {string} title
 * @property {Panel[]} panels
 *
 * @typedef {object} Dashboard
 * @property {string} uid
 * @property {string} title
 * @property {string} description
 * @property {Row[]} rows
 */

/** Version of the JSON model, of Grafana 10. */
const SCHEMA_VERSION = 38;
/** The grid of Grafana. */
const GRID_WIDTH = 24;
const SIZES = { timeseries: { w: 8, h: 8 }, stat: { w: 4, h: 4 } };
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/**
 * @param {Dashboard} dashboard
 * @returns {object} the JSON model
 */
export function toGrafana({ uid, title, description, rows }) {
  return {
    uid,
    title,
    description,
    tags: ['fresnel'],
    schemaVersion: SCHEMA_VERSION,
    editable: false,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} }],
    },
    panels: placeRows(rows),
  };
}

/**
 * Places the panels of each row from left to right, and the rows below each other.
 *
 * @param {readonly Row[]} rows
 * @returns {object[]}
 */
function placeRows(rows) {
  /** @type {object[]} */
  const placed = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: GRID_WIDTH, h: 1 },
    });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of panels) {
      const { w, h } = SIZES[panel.type ?? 'timeseries'];
      if (x + w > GRID_WIDTH) {
        y += height;
        x = height = 0;
      }
      placed.push({ id: placed.length + 1, gridPos: { x, y, w, h }, ...describePanel(panel) });
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return placed;
}

/**
 * @param {Panel} panel
 * @returns {object}
 */
function describePanel({ title, description, unit, queries, type = 'timeseries', alarm }) {
  const steps = [{ color: 'green', value: null }, ...(alarm === undefined ? [] : [{ color: 'red', value: alarm }])];
  return {
    type,
    title,
    description,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, min: 0, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: type === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { legend: { showLegend: true } },
    targets: queries.map(({ expr, legend = title }, at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

/**
 * The rate of a counter.
 *
 * @param {string} counter with its selector
 * @param {string} [by] labels that the sum keeps
 * @returns {string}
 */
export function rateOf(counter, by) {
  return `sum${by === undefined ? '' : ` by (${by})`} (rate(${counter}[$__rate_interval]))`;
}

/**
 * A percentile of a histogram.
 *
 * @param {number} quantile between 0 and 1
 * @param {string} histogram its name
 * @param {string} [by] labels that the result keeps
 * @returns {string}
 */
export function percentileOf(quantile, histogram, by) {
  const labels = by === undefined ? 'le' : `le, ${by}`;
  return `histogram_quantile(${quantile}, sum by (${labels}) (rate(${histogram}_bucket[$__rate_interval])))`;
}

/**
 * How far one gauge is behind another. They are of different processes, which Prometheus scrapes at different times, so the difference
 * can be below 0 for a moment.
 *
 * @param {string} ahead
 * @param {string} behind
 * @param {string} [matching] of the vectors, between `-` and `behind`
 * @returns {string}
 */
export function lagOf(ahead, behind, matching) {
  return `clamp_min(${ahead} - ${matching === undefined ? '' : `${matching} `}${behind}, 0)`;
}

/**
 * The seconds that are spent in a second, by a label: 1 is one stage that is always busy.
 *
 * @param {string} histogram its name
 * @param {string} by
 * @returns {string}
 */
export function busyOf(histogram, by) {
  return rateOf(`${histogram}_sum`, by);
}
