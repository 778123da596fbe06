import { describeTreeStoreContract } from './tree-store.contract';
import { PAGE_BYTES } from '@fresnel/domain/trees';
import { commitOf, filledTree, sha256 } from '@fresnel/testing/trees';
import { InMemoryTree } from './in-memory.tree';
import { InMemoryTreeStore } from './in-memory.tree-store';

describeTreeStoreContract('InMemoryTreeStore without a journal', async () => ({
  store: await InMemoryTreeStore.open(sha256, null),
  reopen: null,
  close: () => Promise.resolve(),
}));

describe('InMemoryTreeStore', () => {
  it('keeps a page in memory of its own: it would keep a slab of small buffers, most of which are gone', () => {
    const { pages, ...rest } = commitOf(filledTree());
    const sliced = new Map([...pages].map(([id, page]) => [id, Buffer.concat([page, page]).subarray(page.length)]));
    const tree = new InMemoryTree(rest.head, 'an entry');
    tree.apply({ ...rest, pages: sliced }, 'an entry');
    const kept = tree.readPages([...pages.keys()]);
    expect(kept).toEqual(pages);
    expect([...kept.values()].map(({ buffer }) => buffer.byteLength)).toEqual(Array(pages.size).fill(PAGE_BYTES));
  });
});
