import { InMemoryTreeJournal } from './in-memory.tree-journal';
import { describeTreeJournalContract } from './tree-journal.contract';

describeTreeJournalContract('InMemoryTreeJournal', () =>
  Promise.resolve({ journal: new InMemoryTreeJournal(), close: () => Promise.resolve() }),
);
