import { type TSchema, Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { InvalidParamsError } from './invalid-params.error';

const EmptyArray = Type.Array(Type.Unknown(), { maxItems: 0 });

export const NoParams = Type.Union([closedObject({}), EmptyArray, Type.Null()], {
  description: 'No parameters: absent, null, `[]` or `{}`.',
});

/** Params of a method whose members are all optional. They may also be absent. @param members schema of an object */
export function optionalParams<Members extends TSchema>(members: Members) {
  return Type.Union([members, EmptyArray, Type.Null()], { description: 'Absent, null and `[]` are the same as `{}`.' });
}

/** @throws InvalidParamsError if the params are not absent, null, `[]` or `{}` */
export function readNoParams(params: unknown): null {
  if (!isWithoutParams(params)) throw new InvalidParamsError('this method has no parameters');
  return null;
}

/** Whether the params are absent, null, `[]` or `{}`. */
export function isWithoutParams(params: unknown): boolean {
  return params === undefined || params === null || (typeof params === 'object' && Object.keys(params).length === 0);
}
