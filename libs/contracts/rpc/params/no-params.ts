import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { InvalidParamsError } from './invalid-params.error';

export const NoParams = Type.Union([closedObject({}), Type.Array(Type.Unknown(), { maxItems: 0 }), Type.Null()], {
  description: 'No parameters: absent, null, `[]` or `{}`.',
});

/** @throws InvalidParamsError if the params are not absent, null, `[]` or `{}` */
export function readNoParams(params: unknown): null {
  if (params === undefined || params === null) return null;
  if (typeof params === 'object' && Object.keys(params).length === 0) return null;
  throw new InvalidParamsError('this method has no parameters');
}
