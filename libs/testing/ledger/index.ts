export { readGeneratedSlots } from './generated-slots';
export { checkAgainstOracle, type OracleCheck } from './oracle-check';
export { ProofHistory } from './proof-history';
