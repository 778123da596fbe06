import { FresnelError, type Pubkey } from '@fresnel/domain/primitives';
import { readExecutedAccounts } from './executed-transaction.codec';
import { parseRawTransaction, type RawTransaction, wireOf } from './raw-transaction';
import { decodeTransaction } from './transaction.codec';
import { parseTransactionMeta } from './transaction-meta';

/**
 * The accounts that a transaction names, as far as its source has kept them: without meta, those from lookup tables are unknown.
 *
 * @param json as `TransactionParser` takes it
 * @returns none if it cannot be decoded
 * @throws MalformedBlockError if the text is not valid JSON
 */
export function findNamedAccounts(json: string): Pubkey[] {
  const raw = parseRawTransaction(json);
  return raw.executed === undefined
    ? [...readOrNone(() => staticKeysOf(raw)), ...readOrNone(() => parseTransactionMeta(raw.meta).loadedAddresses)]
    : readOrNone(() => readExecutedAccounts(raw.executed));
}

function staticKeysOf(raw: RawTransaction): Pubkey[] {
  const wire = wireOf(raw);
  return wire ? decodeTransaction(wire).staticKeys : [];
}

function readOrNone(read: () => Pubkey[]): Pubkey[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    return [];
  }
}
