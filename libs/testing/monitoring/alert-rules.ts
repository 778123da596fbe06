import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  annotations: { runbook: string };
}

/** The part of a PrometheusRule that Prometheus reads as a file of rules. */
export interface AlertRules {
  groups: { name: string; rules: AlertRule[] }[];
}

const FILE = join(__dirname, '..', '..', '..', 'k8s', 'components', 'alerts', 'prometheus-rule.yaml');

/** How much faster compressed rules are: five minutes take five seconds. */
const SPEED = 60;

/** The rules that are deployed. */
export function readAlertRules(): AlertRules {
  return (load(readFileSync(FILE, 'utf8')) as { spec: AlertRules }).spec;
}

/**
 * Derives rules that fire within seconds: all durations are divided by `SPEED`.
 *
 * @param thresholds by alert; they replace the number at the end of the expression
 * @throws if an alert does not exist or has no threshold
 */
export function compressRules({ groups }: AlertRules, thresholds: Record<string, number> = {}): AlertRules {
  const unused = new Set(Object.keys(thresholds));
  const compress = (rule: AlertRule): AlertRule => {
    const expr = rule.expr.replace(
      /(\[|offset )(\w+)/g,
      (_, before: string, text: string) => before + compressed(text),
    );
    const shorter = { ...rule, expr, ...(rule.for === undefined ? {} : { for: compressed(rule.for) }) };
    if (!unused.delete(rule.alert)) return shorter;
    if (!/[<>] [\d.]+$/.test(expr)) throw new Error(`${rule.alert} has no threshold`);
    return { ...shorter, expr: expr.replace(/[\d.]+$/, String(thresholds[rule.alert])) };
  };
  const result = { groups: groups.map((group) => ({ ...group, rules: group.rules.map(compress) })) };
  if (unused.size > 0) throw new Error(`there is no alert ${[...unused].join(', ')}`);
  return result;
}

/** @param duration in minutes, such as `5m` */
function compressed(duration: string): string {
  const minutes = /^(\d+)m$/.exec(duration);
  if (!minutes) throw new Error(`${duration} is not a number of minutes`);
  return `${(Number(minutes[1]) * 60_000) / SPEED}ms`;
}
