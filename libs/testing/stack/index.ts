export { type FaultLoad, readFaultLoad } from './fault-load';
export { type CommandName, type ExitResult, FresnelProcess, type Environment } from './fresnel-process';
export { LiveLedger } from './live-ledger';
export { callRpc, readingCalls, type RpcAnswer, type RpcCall } from './rpc-call';
export { digestCleanRun, type RunningReplica, type StackOptions, StackUnderTest } from './stack-under-test';
