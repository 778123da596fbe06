export { FakeGtfa } from './fake-gtfa';
export { FakePortal } from './fake-portal';
export { FakeProvider, type ProviderAnswer, type ProviderFault, type ProviderRequest } from './fake-provider';
export { FileGtfa } from './file-gtfa';
export { type HistoryFiles, writeHistoryFiles } from './history-files';
export { type LedgerBlock, type LedgerInstruction, type LedgerTransaction, readHistoryLedger } from './history-ledger';
export {
  createGtfaSource,
  createSqdSource,
  eventsOfBlocks,
  eventsOfPages,
  holesOf,
  readHistory,
  type ReadTransaction,
  signaturesOf,
} from './read-history';
export { listRecordedChains } from './recorded-chains';
export { type LedgerSnapshotOptions, writeLedgerSnapshot } from './snapshot-of-ledger';
export { addTreeAccounts, setTreeAccounts } from './tree-accounts';
export { inSlots, naming, spendingOnly, spendsOf, type Withheld, withSignature } from './withheld';
