export { type Bench, type BenchResult, type BenchWay, runBench } from './bench';
export { captureLog, type LogLine } from './captured-log';
export { eventually } from './eventually';
export { byFaultForm, type FaultForm } from './fault-form';
export { type HttpResponse, postJson, RawConnection, sendHttp } from './http-client';
export { Opened } from './opened';
export { shapesOf, toPlainMessage } from './plain-message';
export { TcpLink } from './tcp-link';
export { until } from './until';
