import { type Pubkey } from '@fresnel/domain/primitives';
import { readPubkey } from './base58-values';
import { optional, readMembers, type ReadValue, required } from './members';
import { type Page, readPage } from './page';

/** Of whose tokens a page is requested. */
export interface TokenListParams<Cursor> extends Page<Cursor> {
  /** The owner or the delegate inside the token accounts. */
  key: Pubkey;
  /** Null: all mints. */
  mint: Pubkey | null;
}

/** Returns a function that reads the params of a paginated list of tokens. @param name the member with the key */
export function tokenListReader<Cursor>(
  name: 'owner' | 'delegate',
  readCursor: ReadValue<Cursor>,
): (params: unknown) => TokenListParams<Cursor> {
  return (params) => {
    const members = readMembers(params, 'params', [name, 'mint', 'cursor', 'limit']);
    return {
      key: required(members, name, readPubkey),
      mint: optional(members, 'mint', readPubkey),
      ...readPage(members, readCursor),
    };
  };
}
