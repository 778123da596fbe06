/**
 * The code of an error reply. When a command inside a script fails, Redis 7 starts the reply with the code of the command. Redis
 * up to 6.2 and servers that imitate it put the code inside: `ERR Error running script (call to f_…): @user_script:2:
 * @user_script: 2: -READONLY You can't write against a read only replica.`
 */
const REPLY_CODE = /^(?:ERR .*?-)?([A-Z]+) /s;

/** Codes of a server that is starting, failing over, busy with a script, or out of memory or disk. */
const UNAVAILABLE = new Set([
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'MISCONF',
  'OOM',
  'BUSY',
]);

/** Whether Redis cannot execute a command now: every error except an error reply, and the replies of such a server. */
export function isRedisOutage(error: unknown): boolean {
  const isReply = error instanceof Error && error.name === 'ReplyError';
  return !isReply || UNAVAILABLE.has(codeOf(error));
}

/** Whether a connection leads to a replica: after a failover, the old primary still responds but rejects writes. */
export function isReadOnlyRedis(error: Error): boolean {
  return codeOf(error) === 'READONLY';
}

function codeOf({ message }: Error): string {
  return REPLY_CODE.exec(message)?.[1] ?? '';
}
