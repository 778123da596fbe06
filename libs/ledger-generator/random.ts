/**
 * A seeded source of choices: the same seed gives the same choices, on every machine.
 *
 * The generator is sfc32, which passes the usual statistical batteries and needs 32-bit arithmetic only. It makes test
 * data; nothing here is secret.
 */
export class Random {
  private readonly state: Uint32Array;

  /** @param seed any safe integer from 0 */
  constructor(seed: number) {
    this.state = new Uint32Array(4);
    this.reseed(seed);
  }

  /** Goes on as a source of this seed begins. */
  reseed(seed: number): void {
    this.state.set([seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1]);
    for (let warmUp = 0; warmUp < 16; warmUp++) this.u32();
  }

  /** From 0 to 2^32-1. */
  u32(): number {
    const [a, b, c, counter] = this.state;
    const sum = (a + b + counter) >>> 0;
    this.state[0] = b ^ (b >>> 9);
    this.state[1] = c + (c << 3);
    this.state[2] = ((c << 21) | (c >>> 11)) + sum;
    this.state[3] = counter + 1;
    return sum;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    return this.u32() / 2 ** 32;
  }

  /** From 0 up to, not including, `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** From `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True in `probability` of the cases: 0 never, 1 always. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the items, of which there must be some. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** So many different ones of the items, in random order; all of them if there are fewer. */
  sample<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(this.below(rest.length), 1));
    return taken;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = this.u32() >>> 24;
    return bytes;
  }

  /** From 0 to 2^64-1. */
  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  /** From 0 to `max`, both included. */
  u64UpTo(max: bigint): bigint {
    return this.u64() % (max + 1n);
  }
}
