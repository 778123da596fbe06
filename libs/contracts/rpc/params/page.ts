import { MAX_PAGE_ITEMS } from '../schemas/paging';
import { InvalidParamsError } from './invalid-params.error';
import { type Members, optional, type ReadValue } from './members';

/** The requested page. */
export interface Page<Cursor> {
  /** The last item of the previous page, null for the first page. */
  cursor: Cursor | null;
  /** Maximum number of items. */
  limit: number;
}

export function readPage<Cursor>(members: Members, readCursor: ReadValue<Cursor>): Page<Cursor> {
  return {
    cursor: optional(members, 'cursor', readCursor),
    limit: optional(members, 'limit', readLimit) ?? MAX_PAGE_ITEMS,
  };
}

const readLimit: ReadValue<number> = (value, field) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_PAGE_ITEMS) {
    throw new InvalidParamsError(`${field} must be an integer from 0 to ${MAX_PAGE_ITEMS}`);
  }
  return value;
};
