import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { InvalidParamsError } from './invalid-params.error';

export const NoParams = Type.Union([closedObject({}), Type.Array(Type.Unknown(), { maxItems: 0 }), Type.Null()], {
  description: 'Nothing: left out, null, `[]` or `{}`.',
});

/** @throws InvalidParamsError for anything but the ways in which callers say nothing */
export function readNoParams(params: unknown): null {
  if (params === undefined || params === null) return null;
  if (typeof params === 'object' && Object.keys(params).length === 0) return null;
  throw new InvalidParamsError('this method takes none');
}
