export { digestCleanRun } from './clean-run';
export { type FaultLoad, readFaultLoad } from './fault-load';
export { type CommandName, type Environment, type ExitResult, FresnelProcess } from './fresnel-process';
export { LiveLedger } from './live-ledger';
export { callRpc, readingCalls, type RpcAnswer, type RpcCall } from './rpc-call';
export { UnreadableTrees } from './unreadable-trees';
export { type RunningReplica, type StackOptions, StackUnderTest } from './stack-under-test';
