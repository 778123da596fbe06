export { createTestDatabase, type TestDatabase } from './test-database';
export {
  type BusUnderTest,
  CONTRACT_PARTITIONS,
  describeBusContract,
  type Numbered,
  numberedTopic,
} from './bus-contract';
export { type HttpResponse, postJson, RawConnection, sendHttp } from './http-client';
export {
  type AccountRowToInsert,
  fillAccounts,
  filledKey,
  fillHolders,
  fillSignatures,
  fillTransactions,
  insertAccount,
  insertHolders,
  insertSignatures,
  insertTransaction,
  insertTree,
  setIndexedSlot,
} from './store-rows';
export { startTestGateway, TEST_ADDRESS_TREE, type TestGateway } from './test-gateway';
export { TcpLink } from './tcp-link';
export { readGeneratedSlots } from './generated-slots';
export { digestState } from './state-digest';
export { explainStatement, type QueryPlan } from './query-plan';
export { captureLog, type LogLine } from './captured-log';
export { type FakeAccount } from './fake-accounts';
export { blockhashAt, type FakeBlock, linkBlocks, range } from './fake-chain';
export {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  FakeNode,
  type Fault,
  LONG_TERM_SLOT_SKIPPED,
  type NodeRequest,
  SLOT_SKIPPED,
} from './fake-node';
export { FakeYellowstone, type StreamRequest, type StreamSubscription } from './fake-yellowstone';
export { createTestStream } from './test-yellowstone-source';
export { encodeQueueAccount, encodeTreeAccount } from './tree-account';
export { checkAgainstOracle, type OracleCheck } from './oracle-check';
export { GrowingTree } from './growing-tree';
export { type BlockPlan, ForkedTrees } from './forked-trees';
export {
  contentsOfTrees,
  contentsWithoutForks,
  cutAt,
  describeForkedTrees,
  expectTrueProofs,
} from './forked-trees-contract';
export { TestProver, type TestProverOptions } from './test-prover';
export { AddressTreeModel, rootOfProof, sha256, testAddress, testAddressTree } from './address-tree-model';
export { describeTreeStoreContract } from './tree-store-contract';
export { type TreeStoreUnderTest } from './tree-store-under-test';
export { createTestRpc, createTestSource, takeBlocks, takeSlots } from './test-block-source';
export { type CommandName, type Ended, FresnelProcess, type Settings } from './fresnel-process';
export { whenSomebodyWaits } from './lock-waiter';
export { type Bench, type BenchResult, type BenchWay, runBench } from './bench';
export { startPostgresServer } from './postgres-server';
export { IngestOnNode } from './ingest-on-node';
export { createTestIngest, PlayedBlocks, RecordingBus, type TestIngestParts, untilStopped } from './test-ingest';
export { startTestKafka, startTestRedis, type TestKafka, type TestRedis } from './test-servers';
export { jsonCodec } from './json-codec';
export { describeRateLimiterContract } from './rate-limiter-contract';
export { anySlotEventsMessage, anyTreeUpdatesMessage } from './arbitrary-messages';
export { shapesOf, toPlainMessage } from './plain-message';
export { FencedStore } from './fenced-store';
export { createTestTopic, until } from './kafka-topic';
export { describeProverClientContract, type ProverClientUnderTest } from './prover-client-contract';
export {
  consumedAccount,
  createdAccount,
  slotUpdate,
  TEST_STATE_TREE,
  testHash,
  testSignature,
  withTransactions,
} from './slot-updates';
export { type Fork, forkSlots } from './forked-slots';
export { RunningProjector } from './running-projector';
export { eventually } from './eventually';
export { type FaultLoad, readFaultLoad } from './fault-load';
export { LiveLedger } from './live-ledger';
export { Opened } from './opened';
export { ProofHistory } from './proof-history';
export { callRpc, readingCalls, type RpcAnswer, type RpcCall } from './rpc-call';
export { digestCleanRun, type RunningReplica, type StackOptions, StackUnderTest } from './stack-under-test';
