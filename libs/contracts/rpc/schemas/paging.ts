import { type TProperties, Type } from 'typebox';
import { closedObject } from './closed-object';
import { nullable } from './scalars';

/** Maximum number of items in a page, and the default. */
export const MAX_PAGE_ITEMS = 1000;

export const Cursor = Type.String({
  title: 'Cursor',
  description: 'The `cursor` of the previous page. Opaque.',
  minLength: 1,
});

const Limit = Type.Integer({
  description: `Maximum number of items. Default: ${MAX_PAGE_ITEMS}.`,
  minimum: 0,
  maximum: MAX_PAGE_ITEMS,
});

/** Schema of the params of a paginated method. @param subject the members that name what to list */
export function pagedParams<Subject extends TProperties>(subject: Subject) {
  return closedObject({ ...subject, cursor: Type.Optional(nullable(Cursor)), limit: Type.Optional(nullable(Limit)) });
}

export const PAGING_NOTE =
  'A page with `limit` items has a `cursor`: send it to get the next page, and stop when it is null. ' +
  'The last page may be empty. ';
