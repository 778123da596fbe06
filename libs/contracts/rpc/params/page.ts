import { MAX_PAGE_ITEMS } from '../schemas/paging';
import { InvalidParamsError } from './invalid-params.error';
import { type Members, optional, type ReadValue } from './members';

/** Where to begin and how much to answer with. */
export interface Page<Cursor> {
  /** Null for the first page. */
  cursor: Cursor | null;
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
