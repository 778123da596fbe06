/**
 * What our statements mean, and how long they take, depends on these. A database or a role may have other values.
 *
 * Statements look rows up by key, whatever the planner estimates. It estimates some so high that a server with LLVM would compile
 * them at each execution, which takes ten times as long as the statement: `jit`. Our pools close connections that are unused, so
 * the server does not: `idle_session_timeout`.
 */
export const SESSION_SETTINGS = {
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
  idle_session_timeout: '0',
  jit: 'off',
} as const;

/**
 * Adds settings to those that a connection URL has in `options`. Of two values of a setting the last one counts.
 *
 * @param url `postgres://user:password@host:port/database`; the driver takes its `options` instead of all others
 */
export function withSettings(url: string, settings: Readonly<Record<string, string>>): string {
  const query = url.indexOf('?');
  const own = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll('options');
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`);
  return `${url}${query < 0 ? '?' : '&'}options=${encodeURIComponent([...own, ...ours].join(' '))}`;
}
