export { type AlertRule, type AlertRules, compressRules, readAlertRules } from './alert-rules';
export { listQueries, type PanelQuery, readDashboards } from './dashboards';
export { PrometheusServer, type ScrapedProcess } from './prometheus-server';
