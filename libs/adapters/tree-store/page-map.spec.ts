import { PAGE_BYTES, pageOf } from '@fresnel/domain/trees';
import { PageMap } from './page-map';

const page = (byte: number) => Buffer.alloc(PAGE_BYTES, byte);

describe('PageMap', () => {
  it('has the pages that were put, also empty ones, and no others', () => {
    const pages = new PageMap();
    const far = pageOf({ level: 36, index: 2 ** 39 + 17 });
    pages.put([
      [5, page(1)],
      [7, page(0)],
      [far, page(3)],
    ]);
    expect([4, 5, 6, 7, 8].map((id) => pages.get(id))).toEqual([undefined, page(1), undefined, page(0), undefined]);
    expect([far - 1, far, far + 1].map((id) => pages.get(id))).toEqual([undefined, page(3), undefined]);
  });

  it('replaces pages, while those that were read stay as they are', () => {
    const pages = new PageMap();
    pages.put([
      [0, page(1)],
      [1, page(2)],
    ]);
    const [first, second] = [pages.get(0), pages.get(1)];
    pages.put([
      [0, page(3)],
      [2, page(4)],
    ]);
    expect([first, second]).toEqual([page(1), page(2)]);
    expect([0, 1, 2].map((id) => pages.get(id))).toEqual([page(3), page(2), page(4)]);
  });

  it('keeps no memory besides its own', () => {
    const pages = new PageMap();
    const ids = Array.from({ length: 64 }, (_, id) => id);
    for (let times = 1; times <= 3; times++) for (const id of ids) pages.put([[id, page(times)]]);
    const kept = new Set(ids.map((id) => pages.get(id)?.buffer));
    const bytes = [...kept].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);
    expect(bytes).toBeLessThan(1.01 * ids.length * PAGE_BYTES);
  });
});
