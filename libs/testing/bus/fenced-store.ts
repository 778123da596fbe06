import { type Batch, type Consumer } from '@fresnel/adapters/bus';
import { FencedError, type Topic } from '@fresnel/contracts/messages';
import { type Numbered } from './numbered-topic';

interface Place {
  offset: bigint | null;
  epoch: number;
}

/** What a consumer's database does: numbers and position move together, and only for whoever took the partition last. */
export class FencedStore {
  /** By partition, as they were written. */
  readonly numbers: number[][] = [];
  /** Each taking of a partition, in order. */
  readonly takes: { owner: string; partition: number }[] = [];
  /** Writes that came from somebody who had lost the partition. */
  staleWrites = 0;
  private readonly places = new Map<number, Place>();

  /** How many numbers were written. */
  get count(): number {
    return this.numbers.flat().length;
  }

  /** Partitions by who took them last. */
  get owners(): string[] {
    const owners: string[] = [];
    for (const { owner, partition } of this.takes) owners[partition] = owner;
    return owners;
  }

  /** Puts a position there, as of an earlier run. */
  place(partition: number, offset: bigint): void {
    this.places.set(partition, { offset, epoch: 0 });
  }

  /**
   * @param owner name of this consumer among those of the store
   * @param before what happens before each batch is written
   */
  consumer(
    topic: Topic<Numbered>,
    owner: string,
    {
      before = () => Promise.resolve(),
      ...more
    }: { before?: Consumer<Numbered>['onBatch'] } & Partial<Consumer<Numbered>> = {},
  ): Consumer<Numbered> {
    const epochs = new Map<number, number>();
    return {
      group: `group-of-${topic.name}`,
      topic,
      maxBatch: 100,
      claimPartition: (partition) => {
        this.takes.push({ owner, partition });
        const { offset, epoch } = this.places.get(partition) ?? { offset: null, epoch: 0 };
        this.places.set(partition, { offset, epoch: epoch + 1 });
        epochs.set(partition, epoch + 1);
        return Promise.resolve(offset);
      },
      onBatch: async (batch) => {
        await before(batch);
        this.write(batch, epochs.get(batch.partition));
      },
      ...more,
    };
  }

  private write({ partition, from, to, messages }: Batch<Numbered>, epoch: number | undefined): void {
    const place = this.places.get(partition);
    if (place?.epoch !== epoch || (place?.offset ?? from) !== from) {
      this.staleWrites++;
      throw new FencedError(`partition ${partition} is at ${place?.offset}, not at ${from}`);
    }
    this.places.set(partition, { epoch: place?.epoch ?? 0, offset: to });
    (this.numbers[partition] ??= []).push(...messages.map(({ number }) => number));
  }
}
