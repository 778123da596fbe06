import { type Pubkey, type Signature } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

export interface SignatureRecord {
  signature: Signature;
  slot: number;
  /** Unix seconds. */
  blockTime: number;
}

/** The last item of a page. The next page starts after it. */
export interface SignaturePosition {
  slot: bigint;
  signature: Signature;
}

export interface SignaturePage {
  /** The slot at which the page is true. */
  slot: number;
  items: SignatureRecord[];
}

function signaturesOf(name: string, table: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, page.slot, page.signature, page.block_time
      FROM indexer_state s
      LEFT JOIN LATERAL (
        SELECT slot, signature, block_time FROM ${table}
        WHERE owner = $1 AND slot <= s.indexed_slot AND (slot, signature) < ($2, $3)
        ORDER BY slot DESC, signature DESC
        LIMIT $4
      ) page ON true
      ORDER BY page.slot DESC, page.signature DESC`,
  };
}

export const OWNER_SIGNATURES = signaturesOf('owner-signatures', 'owner_signatures');
export const TOKEN_OWNER_SIGNATURES = signaturesOf('token-owner-signatures', 'token_owner_signatures');

/** Greater than every position. */
const FIRST_PAGE = { slot: 2n ** 63n - 1n, signature: Buffer.alloc(0) };

type Row = WithIndexedSlot & { slot: string | null; signature: Signature | null; block_time: string | null };

/** Transactions that created or consumed an account of this owner, newest slot first, then largest signature. */
export function findOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return findPage(reader, OWNER_SIGNATURES, owner, limit, after);
}

/** The same for the owner inside token accounts. */
export function findTokenOwnerSignatures(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  return findPage(reader, TOKEN_OWNER_SIGNATURES, owner, limit, after);
}

async function findPage(
  reader: Reader,
  statement: Statement,
  owner: Pubkey,
  limit: number,
  after: SignaturePosition | null,
): Promise<SignaturePage> {
  const { slot, signature } = after ?? FIRST_PAGE;
  const rows = await reader.query<Row>(statement, [owner, slot, signature, limit]);
  const items = rows.flatMap(({ signature, slot, block_time: blockTime }) =>
    signature === null ? [] : [{ signature, slot: Number(slot), blockTime: Number(blockTime) }],
  );
  return { slot: indexedSlotOf(rows), items };
}
