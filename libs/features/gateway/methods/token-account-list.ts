import { type TokenAccountRecord } from '@fresnel/adapters/store-read';
import { encodeTokenAccountCursor, TokenAccount, TokenAccountV2 } from '@fresnel/contracts/rpc';
import { presentTokenAccount, presentTokenAccountV2 } from '../present/token-account.presenter';

const encodeCursor = ({ hash, token: { mint } }: TokenAccountRecord) => encodeTokenAccountCursor({ mint, hash });

/** What the lists of token accounts have in common. */
export const TOKEN_ACCOUNT_LIST = { item: TokenAccount, present: presentTokenAccount, encodeCursor };

/** The same with accounts in the V2 form. */
export const TOKEN_ACCOUNT_LIST_V2 = { item: TokenAccountV2, present: presentTokenAccountV2, encodeCursor };
