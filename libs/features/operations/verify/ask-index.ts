import { type IndexAnswer } from '@fresnel/adapters/chain';

/** Which of the two indexes. */
export type Side = 'index' | 'against';

/** Sends a call to an index. It waits while the rate of requests is refused. @throws the signal's reason */
export type AskIndex = (method: string, params: unknown, signal: AbortSignal) => Promise<IndexAnswer>;
