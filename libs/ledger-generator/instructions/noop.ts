import { GENERATED_PROGRAMS } from '../keys';
import { type Instruction } from './instruction';

/** An instruction of the noop program, which only makes the payload visible in the transaction. */
export function noopInstruction(payload: Buffer): Instruction {
  return { program: GENERATED_PROGRAMS.noop, accounts: [], data: payload, cpis: [] };
}
