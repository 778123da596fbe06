import { describeTreeStoreContract } from './tree-store.contract';
import { sha256 } from '@fresnel/testing/trees';
import { InMemoryTreeStore } from './in-memory.tree-store';

describeTreeStoreContract('InMemoryTreeStore without a journal', async () => ({
  store: await InMemoryTreeStore.open(sha256, null),
  reopen: null,
  close: () => Promise.resolve(),
}));
