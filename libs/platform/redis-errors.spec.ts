import { isReadOnlyRedis, isRedisOutage } from './redis-errors';

/** An error reply, as the client throws it. */
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

const TEXTS = {
  READONLY: "You can't write against a read only replica.",
  OOM: "command not allowed when used memory > 'maxmemory'.",
  MISCONF: 'Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.',
  NOREPLICAS: 'Not enough good replicas to write.',
  LOADING: 'Redis is loading the dataset in memory',
  BUSY: 'Redis is busy running a script.',
} as const;

/** How servers report that a command of a script failed with an error. */
const IN_SCRIPTS: readonly [string, (code: string, text: string) => string][] = [
  ['Redis 7', (code, text) => `${code} ${text} script: 82f3c7a1, on @user_script:2.`],
  [
    'Redis 6.2',
    (code, text) => `ERR Error running script (call to f_82f3c7a1): @user_script:2: @user_script: 2: -${code} ${text} `,
  ],
  ['Dragonfly', (code, text) => `ERR Error running script (call to f_82f3c7a1): @user_script:2: -${code} ${text}`],
];

// cspell:ignore NOPROTO
describe('isRedisOutage', () => {
  it.each(Object.entries(TEXTS))('is true for %s, also if a command of a script gets it', (code, text) => {
    expect(isRedisOutage(reply(`${code} ${text}`))).toBe(true);
    for (const [, write] of IN_SCRIPTS) expect(isRedisOutage(reply(write(code, text)))).toBe(true);
  });

  it('is true for an error that is not a reply', () => {
    expect(isRedisOutage(new Error('Command timed out'))).toBe(true);
  });

  it.each([
    'ERR syntax error',
    'NOSCRIPT No matching script. Please use EVAL.',
    'NOPROTO unsupported protocol version',
    'ERR Error running script (call to f_82f3c7a1): @user_script:2: OOM is a key of this script ',
    'ERR Error running script (call to f_82f3c7a1): @user_script:2: @user_script: 2: -NOPROTO unsupported protocol version ',
    'NOPERM this user has no permissions to run the LOADING command',
  ])('is false for %s', (message) => {
    expect(isRedisOutage(reply(message))).toBe(false);
  });
});

describe('isReadOnlyRedis', () => {
  it.each(IN_SCRIPTS)('is true for a script of %s, and false if another error has the words', (_, write) => {
    expect(isReadOnlyRedis(reply(write('READONLY', TEXTS.READONLY)))).toBe(true);
    expect(isReadOnlyRedis(reply(write('OOM', 'not READONLY')))).toBe(false);
  });

  it('is true for a command without a script', () => {
    expect(isReadOnlyRedis(reply(`READONLY ${TEXTS.READONLY}`))).toBe(true);
  });
});
