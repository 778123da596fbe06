import { describeTreeStoreContract, sha256 } from '@fresnel/testing';
import { InMemoryTreeStore } from './in-memory.tree-store';

describeTreeStoreContract('InMemoryTreeStore without a journal', async () => ({
  store: await InMemoryTreeStore.open(sha256, null),
  reopen: null,
  close: () => Promise.resolve(),
}));
