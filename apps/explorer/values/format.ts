const LAMPORTS_PER_SOL = 1_000_000_000n;
const SOL_DECIMALS = 9;

/** All digits of an integer, in groups of three. */
export function formatInteger(value: number | bigint): string {
  return BigInt(value).toLocaleString('en-US');
}

/** A difference with its sign. */
export function formatChange(value: bigint): string {
  return `${value > 0n ? '+' : ''}${formatInteger(value)}`;
}

/** Lamports as SOL, with all digits that are not zero at the end. */
export function formatSol(lamports: number | bigint): string {
  const value = BigInt(lamports);
  const fraction = (value % LAMPORTS_PER_SOL).toString().padStart(SOL_DECIMALS, '0').replace(/0+$/, '');
  const whole = formatInteger(value / LAMPORTS_PER_SOL);
  return `${whole}${fraction && `.${fraction}`} SOL`;
}

/** Beginning and end of a long text. */
export function shorten(text: string, characters = 6): string {
  return text.length <= 2 * characters + 1 ? text : `${text.slice(0, characters)}…${text.slice(-characters)}`;
}

const TREE_TYPES = ['', 'state tree, V1', 'address tree, V1', 'state tree, V2', 'address tree, V2'];
const QUEUE_TYPES = new Map([
  [3, 'input queue (hashes of spent accounts to clear)'],
  [4, 'address queue (new addresses to insert)'],
  [5, 'output queue (new accounts to append)'],
]);

export const describeTreeType = (type: number): string => TREE_TYPES[type] ?? `type ${type}`;
export const describeQueueType = (type: number): string => QUEUE_TYPES.get(type) ?? `type ${type}`;
