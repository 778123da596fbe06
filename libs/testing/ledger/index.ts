export { readGeneratedSlots } from './generated-slots';
export {
  askQuestions,
  checkAgainstOracle,
  listContextCalls,
  type OracleCheck,
  questionsAbout,
  sendQuestions,
  waitForAgreement,
} from './oracle-check';
export { ErrorCode, type Question } from './question';
export { ProofHistory } from './proof-history';
export { type ContextCall } from './sampled-calls';
export { StateTreeReplica } from './state-tree-replica';
