import { type Bench } from '@fresnel/testing/generic';
import { FresnelProcess, LONG_RUN_CHAIN, type LongRun, measureLongRun } from '@fresnel/testing/stack';

const LONG_RUN: LongRun = {
  start: (env) => Promise.resolve(FresnelProcess.start([], env)),
  nameProcess: () => (_, command) => {
    if (/bin\/fresnel\.mjs/.test(command)) return 'fresnel';
    return /postgres/.test(command) ? 'postgres' : null;
  },
  healthPorts: ({ output }) => {
    const [, port] = /"port":(\d+),"msg":"serving health and metrics"/.exec(output) ?? [];
    return { fresnel: Number(port) };
  },
  storedBytes: () => Promise.resolve({}),
};

export const bench: Bench = {
  title: 'Memory of one process in a long run',
  data: `${LONG_RUN_CHAIN}, and calls after each block; the embedded Postgres`,
  unit: 'transactions',
  prepare: () =>
    Promise.resolve({
      ways: [{ name: 'one process', run: () => measureLongRun(LONG_RUN), isOnce: true }],
      close: () => Promise.resolve(),
    }),
};
