import { type TProperties, Type } from 'typebox';
import { closedObject } from './closed-object';
import { nullable } from './scalars';

/** Most items of one page, and how many come where no limit is given. */
export const MAX_PAGE_ITEMS = 1000;

export const Cursor = Type.String({
  title: 'Cursor',
  description: 'The `cursor` of the page before. Opaque.',
  minLength: 1,
});

const Limit = Type.Integer({
  description: `Most items to answer with; ${MAX_PAGE_ITEMS} where it is left out.`,
  minimum: 0,
  maximum: MAX_PAGE_ITEMS,
});

/** Params of a paged list: what to list, and where and how far to read. */
export function pagedParams<Subject extends TProperties>(subject: Subject) {
  return closedObject({ ...subject, cursor: Type.Optional(nullable(Cursor)), limit: Type.Optional(nullable(Limit)) });
}

export const PAGING_NOTE =
  'A page with as many items as `limit` carries a `cursor`; pass it back for the next page, and stop when it is null. ' +
  'The last page may be empty. ';
