export { readGeneratedSlots } from './generated-slots';
export { checkAgainstOracle, listContextCalls, type OracleCheck } from './oracle-check';
export { ProofHistory } from './proof-history';
export { type ContextCall } from './sampled-calls';
export { StateTreeReplica } from './state-tree-replica';
