import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { hashToField, isDecompressedPlaceholder } from '@fresnel/domain/state';
import { TREE_TYPES } from '@fresnel/domain/trees';
import { yieldAfter } from '@fresnel/platform';
import { atAddress, UNSPENT } from './account.query';
import { type AccountRecord, RECORD, RECORD_JOINS, toAccountRecord, UNSPENT_RECORD_JOINS } from './account-record';
import { TooManyAccountsError } from './errors';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { PackedRow } from './packed-rows';
import { type Reader, type Statement } from './reader';

/** A compressed account that belongs to the key of a Solana account. */
export interface ColdAccount {
  account: AccountRecord;
  /** The wallet of a compressed associated token account. */
  ataOwner: Pubkey | null;
}

/** The most accounts in one answer. */
export const MAX_COLD_ACCOUNTS = 1_000;
/** Each key has an address in each V2 address tree for each program. */
const MAX_DERIVED_ADDRESSES = 50_000;
const MAX_TURN_MS = 10;

const ADDRESS_TREES = `SELECT t.tree FROM trees t WHERE t.tree_type = ${TREE_TYPES.addressV2}`;

/** Neither programs nor trees are ever removed. */
const ADDRESS_SPACE: Statement = {
  name: 'address-space',
  text: `
    SELECT ARRAY(SELECT p.program FROM address_programs p) AS programs, ARRAY(${ADDRESS_TREES}) AS trees`,
};

const listedBy = (digest: string) => `
  SELECT list.place, listed.hash FROM unnest($1::bytea[]) WITH ORDINALITY AS list (key, place)
  CROSS JOIN LATERAL (
    SELECT u.hash FROM unspent_accounts u WHERE u.${digest} = key_digest(list.key) LIMIT ${MAX_COLD_ACCOUNTS + 1}
  ) listed`;

/** $1: keys; $2: derived addresses; $3: the places of their keys, from 1 */
export const COLD_ACCOUNTS: Statement = {
  name: 'cold-accounts',
  text: `
    SELECT s.indexed_slot, (SELECT count(*)::integer FROM address_programs) AS programs,
      (SELECT count(*)::integer FROM (${ADDRESS_TREES}) t) AS trees, found.place, found.ata_owner, found.record
    FROM indexer_state s
    LEFT JOIN LATERAL (
      SELECT hit.place::integer AS place, a.created_by >> 16 AS slot_created, a.hash, a.ata_owner, ${RECORD} AS record
      FROM (
        SELECT place, hash FROM (
          ${listedBy('onchain_digest')}
          UNION ALL
          ${listedBy('token_owner_digest')}
          UNION ALL
          SELECT list.place, derived.hash FROM unnest($2::bytea[], $3::bigint[]) AS list (address, place)
          CROSS JOIN LATERAL (
            SELECT a.hash FROM accounts a ${RECORD_JOINS} WHERE ${atAddress('list.address')} AND ${UNSPENT} LIMIT 1
          ) derived
        ) hits
        GROUP BY place, hash LIMIT ${MAX_COLD_ACCOUNTS + 1}
      ) hit JOIN accounts a ON a.hash = hit.hash ${UNSPENT_RECORD_JOINS}
    ) found ON true
    ORDER BY found.place, found.slot_created DESC, found.hash`,
};

interface Row extends WithIndexedSlot {
  programs: number;
  trees: number;
  /** Null in the only row, if there is no account. */
  place: number | null;
  ata_owner: Pubkey | null;
  record: Buffer | null;
}

/**
 * Returns the unspent compressed accounts that belong to the keys of Solana accounts, the newest first: special accounts that
 * stand for the key, accounts at an address that a program derived from the key, and token accounts whose owner, or whose
 * wallet, is the key. What stays of a decompressed account does not count.
 *
 * @returns a list for each key
 * @throws TooManyAccountsError
 */
export async function findColdAccounts(
  reader: Reader,
  keys: readonly Pubkey[],
): Promise<{ slot: number; items: ColdAccount[][] }> {
  for (;;) {
    const [space] = await reader.query<AddressSpace>(ADDRESS_SPACE, []);
    const { addresses, places } = await deriveAddresses(keys, space);
    const rows = await reader.query<Row>(COLD_ACCOUNTS, [keys, addresses, places]);
    const slot = indexedSlotOf(rows);
    // Another program or tree may have been indexed between the two statements, and with it an account.
    if (rows[0].programs !== space.programs.length || rows[0].trees !== space.trees.length) continue;
    if (rows.length > MAX_COLD_ACCOUNTS) {
      throw new TooManyAccountsError(`These addresses have more than ${MAX_COLD_ACCOUNTS} compressed accounts`);
    }
    return { slot, items: keys.map((_, at) => coldAccountsAt(rows, at + 1)) };
  }
}

function coldAccountsAt(rows: readonly Row[], place: number): ColdAccount[] {
  return rows.flatMap((row) => {
    if (!row.record || row.place !== place) return [];
    const account = toAccountRecord(new PackedRow(row.record));
    if (account.data && isDecompressedPlaceholder(account.data)) return [];
    return [{ account, ataOwner: row.ata_owner }];
  });
}

interface AddressSpace {
  programs: Pubkey[];
  trees: Pubkey[];
}

/** The addresses that programs derive from keys, each with the place of its key. */
async function deriveAddresses(keys: readonly Pubkey[], { programs, trees }: AddressSpace) {
  if (keys.length * programs.length * trees.length > MAX_DERIVED_ADDRESSES) {
    const allowed = Math.floor(MAX_DERIVED_ADDRESSES / (programs.length * trees.length));
    throw new TooManyAccountsError(`Too many programs have addresses: ask for at most ${allowed} addresses at once`);
  }
  const addresses: Hash[] = [];
  const places: number[] = [];
  for (const [at, key] of keys.entries()) {
    for (const tree of trees) {
      for (const program of programs) {
        addresses.push(hashToField(key, tree, program));
        places.push(at + 1);
      }
    }
    await yieldAfter(MAX_TURN_MS);
  }
  return { addresses, places };
}
