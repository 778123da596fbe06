import { type TSchema } from 'typebox';
import { closedObject } from './closed-object';
import { SlotNumber } from './scalars';

export const Context = closedObject(
  { slot: SlotNumber },
  { title: 'Context', description: 'The highest indexed slot of the snapshot that the value was read from.' },
);

/** `{context, value}`: an answer and the slot at which it is true. */
export function withContext<Value extends TSchema>(value: Value) {
  return closedObject({ context: Context, value });
}
