import { type Batch, type Consumer } from '@fresnel/adapters/bus';
import { FencedError, type Topic } from '@fresnel/contracts/messages';
import { type Numbered } from './numbered-topic';

interface StoredPosition {
  offset: bigint | null;
  epoch: number;
}

/** Models the store of a consumer: numbers and position are written together, and only by the last claimant of a partition. */
export class FencedStore {
  /** The written numbers of each partition, in order. */
  readonly numbers: number[][] = [];
  /** Each claim of a partition, in order. */
  readonly claims: { owner: string; partition: number }[] = [];
  /** Number of writes that failed because another consumer had claimed the partition. */
  fencedWrites = 0;
  private readonly positions = new Map<number, StoredPosition>();

  /** How many numbers are stored. */
  get count(): number {
    return this.numbers.flat().length;
  }

  /** The last claimant of each partition. */
  get owners(): string[] {
    const owners: string[] = [];
    for (const { owner, partition } of this.claims) owners[partition] = owner;
    return owners;
  }

  /** Stores a position, as an earlier run would have. */
  setPosition(partition: number, offset: bigint): void {
    this.positions.set(partition, { offset, epoch: 0 });
  }

  /**
   * @param owner name of this consumer among those of the store
   * @param before runs before each batch is written
   */
  consumer(
    topic: Topic<Numbered>,
    owner: string,
    {
      before = () => Promise.resolve(),
      ...overrides
    }: { before?: Consumer<Numbered>['onBatch'] } & Partial<Consumer<Numbered>> = {},
  ): Consumer<Numbered> {
    const epochs = new Map<number, number>();
    return {
      group: `group-of-${topic.name}`,
      topic,
      maxBatch: 100,
      claimPartition: (partition) => {
        this.claims.push({ owner, partition });
        const { offset, epoch } = this.positions.get(partition) ?? { offset: null, epoch: 0 };
        this.positions.set(partition, { offset, epoch: epoch + 1 });
        epochs.set(partition, epoch + 1);
        return Promise.resolve(offset);
      },
      onBatch: async (batch) => {
        await before(batch);
        this.write(batch, epochs.get(batch.partition));
      },
      ...overrides,
    };
  }

  private write({ partition, from, to, messages }: Batch<Numbered>, epoch: number | undefined): void {
    const stored = this.positions.get(partition);
    if (stored?.epoch !== epoch || (stored?.offset ?? 0n) !== from) {
      this.fencedWrites++;
      throw new FencedError(`partition ${partition} is at ${stored?.offset}, not at ${from}`);
    }
    this.positions.set(partition, { epoch: stored?.epoch ?? 0, offset: to });
    (this.numbers[partition] ??= []).push(...messages.map(({ number }) => number));
  }
}
