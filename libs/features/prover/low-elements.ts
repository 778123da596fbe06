import { type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hash, keyOf } from '@fresnel/domain/primitives';
import { type IndexedElement } from '@fresnel/domain/trees';

/** The stored low elements of a series of addresses. Each is read once. */
export class LowElements {
  /** By the value that they were read for. */
  private readonly lows = new Map<string, IndexedElement | undefined>();

  /** @param initial ascending by value; elements of a tree that is not stored yet */
  constructor(
    private readonly tree: TreeReads,
    private readonly initial: readonly IndexedElement[],
  ) {}

  /** Reads the low elements of values. */
  async read(values: readonly Hash[]): Promise<void> {
    const missing = values.filter((value) => !this.lows.has(keyOf(value)));
    const found = await this.tree.findLowElements(missing);
    missing.forEach((value, position) => {
      const low = found[position] ?? this.initial.findLast((element) => element.value.compare(value) < 0);
      this.lows.set(keyOf(value), low);
    });
  }

  /** The low element of a value that was read; undefined if there is none. */
  find(value: Hash): IndexedElement | undefined {
    return this.lows.get(keyOf(value));
  }
}
