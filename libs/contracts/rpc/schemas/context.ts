import { type TSchema } from 'typebox';
import { closedObject } from './closed-object';
import { SlotNumber } from './scalars';

export const Context = closedObject(
  { slot: SlotNumber },
  { title: 'Context', description: 'The indexed slot of the snapshot that the value was read from.' },
);

/** Schema of `{context, value}`: a value, and the slot as of which it is true. */
export function withContext<Value extends TSchema>(value: Value) {
  return closedObject({ context: Context, value });
}
