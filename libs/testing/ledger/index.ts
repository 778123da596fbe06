export { readGeneratedSlots } from './generated-slots';
export { checkAgainstOracle, type ContextCall, listContextCalls, type OracleCheck } from './oracle-check';
export { ProofHistory } from './proof-history';
