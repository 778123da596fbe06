import { GENERATED_PROGRAMS } from '../keys';
import { type Call } from './call';

/** A call of the noop program, which does nothing: its data are there to be seen. */
export function callNoop(payload: Buffer): Call {
  return { program: GENERATED_PROGRAMS.noop, accounts: [], data: payload, calls: [] };
}
