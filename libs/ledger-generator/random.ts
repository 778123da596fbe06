/**
 * A seeded random number generator: the same seed gives the same sequence on every machine.
 *
 * The algorithm is sfc32, which needs 32-bit arithmetic only. It is not cryptographically secure.
 */
export class Random {
  private readonly state: Uint32Array;

  /** @param seed any safe integer from 0 */
  constructor(seed: number) {
    this.state = new Uint32Array(4);
    this.reseed(seed);
  }

  /** Restarts the sequence with another seed. */
  reseed(seed: number): void {
    this.state.set([seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1]);
    for (let warmUp = 0; warmUp < 16; warmUp++) this.u32();
  }

  /** An integer from 0 to 2^32-1. */
  u32(): number {
    const [a, b, c, counter] = this.state;
    const sum = (a + b + counter) >>> 0;
    this.state[0] = b ^ (b >>> 9);
    this.state[1] = c + (c << 3);
    this.state[2] = ((c << 21) | (c >>> 11)) + sum;
    this.state[3] = counter + 1;
    return sum;
  }

  /** A number from 0 to below 1. */
  fraction(): number {
    return this.u32() / 2 ** 32;
  }

  /** An integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** An integer from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True with the given probability, from 0 to 1. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** A random item of a list that must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** `count` distinct items in random order, or all of them if there are fewer. */
  sample<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const sample: T[] = [];
    while (sample.length < count && rest.length > 0) sample.push(...rest.splice(this.below(rest.length), 1));
    return sample;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = this.u32() >>> 24;
    return bytes;
  }

  /** An integer from 0 to 2^64-1. */
  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  /** An integer from 0 to `max`, inclusive. */
  u64UpTo(max: bigint): bigint {
    return this.u64() % (max + 1n);
  }
}
