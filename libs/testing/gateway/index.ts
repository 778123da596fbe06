export { COSTLY_CALLS, COSTLY_PROVER, type CostlyCall, fillCostlyRows } from './costly-calls';
export { type FairnessOptions, type Latencies, measureFairness, percentile } from './fairness';
export { FilledDatabase } from './filled-database';
export { ForkingLedger, type LedgerTransaction } from './forking-ledger';
export { GatewayProcess } from './gateway-process';
export { packProofs } from './pack-proofs';
export { readAllPages, RpcChecker, type RpcReply } from './rpc-checker';
export { startTestGateway, TEST_ADDRESS_TREE, type TestGateway, UNEXPECTED_PROVER } from './test-gateway';
export { PushConnection, PushCopy, type PushedMessage } from './push-client';
