import { closeSync, openSync, readSync } from 'node:fs';
import { FakeProvider, type ProviderRequest } from './fake-provider';
import { type HistoryFiles } from './history-files';

interface Config {
  limit: number;
  filters: { slot: { gte: number; lte: number } };
  paginationToken?: string;
}

/** A provider with the method `getTransactionsForAddress` over files, so that it has nothing of a long history in memory. */
export class FileGtfa {
  /** Transactions that it has given. */
  given = 0;
  givenBytes = 0;

  private constructor(
    private readonly history: HistoryFiles,
    private readonly file: number,
    private readonly serving: () => FakeProvider,
  ) {}

  static async start(history: HistoryFiles): Promise<FileGtfa> {
    const fake: FileGtfa = new FileGtfa(history, openSync(history.items, 'r'), () => provider);
    const provider = await FakeProvider.start((request) => ({ parts: [fake.answer(request)] }));
    return fake;
  }

  get provider(): FakeProvider {
    return this.serving();
  }

  get url(): string {
    return this.provider.url;
  }

  async close(): Promise<void> {
    await this.provider.close();
    closeSync(this.file);
  }

  /** All transactions name the program. */
  private answer({ body: { id, params } }: ProviderRequest): string {
    const [, { limit, filters, paginationToken }] = params as [string, Config];
    const { slots, indexes } = this.history;
    const start = paginationToken === undefined ? this.findSlot(filters.slot.gte) : this.findAfter(paginationToken);
    const end = Math.min(start + limit, this.findSlot(filters.slot.lte + 1));
    const token = end > start ? `${slots[end - 1]}:${indexes[end - 1]}` : null;
    this.given += end - start;
    const items = this.read(start, end);
    this.givenBytes += items.length;
    const result = `{"data":[${items}],"paginationToken":${JSON.stringify(token)}}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  }

  /** The first transaction at or after a slot. */
  private findSlot(slot: number): number {
    const { slots } = this.history;
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slots[middle] < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private findAfter(token: string): number {
    const [slot, index] = token.split(':').map(Number);
    return this.findSlot(slot) + index + 1;
  }

  private read(start: number, end: number): string {
    if (end <= start) return '';
    const { offsets } = this.history;
    const bytes = Buffer.alloc(offsets[end] - offsets[start] - ',\n'.length);
    readSync(this.file, bytes, 0, bytes.length, offsets[start]);
    return bytes.toString();
  }
}
