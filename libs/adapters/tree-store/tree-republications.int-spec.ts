import { toSlot } from '@fresnel/domain/primitives';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { V1, V2 } from '@fresnel/testing/trees';
import { TreeRepublications } from './tree-republications';

describe('requests to publish the operations of trees again', () => {
  let database: TestDatabase;
  let requests: TreeRepublications;
  beforeAll(async () => {
    database = await createTestDatabase();
    requests = new TreeRepublications(database.dataSource.manager);
  });
  afterAll(() => database.drop());

  const listed = async () => (await requests.list()).map(({ tree, fromSlot }) => [tree.equals(V1.tree), fromSlot]);

  it('are served from the earliest slot of each tree, and stored until they are removed', async () => {
    await requests.request([V1.tree, V2.tree], toSlot(20));
    await requests.request([V1.tree], toSlot(30));
    await requests.request([V2.tree], toSlot(10));
    expect(await listed()).toEqual([
      [false, 10],
      [true, 20],
    ]);
    const [second, first] = await requests.list();
    await requests.request([V2.tree], toSlot(15));
    await requests.remove(second);
    await requests.remove(first);
    expect(await listed()).toEqual([[false, 15]]);
    for (const request of await requests.list()) await requests.remove(request);
    expect(await listed()).toEqual([]);
  });
});
