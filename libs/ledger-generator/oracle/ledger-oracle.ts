import { type GeneratedBlock } from '../block';
import { DEFAULT_ADDRESS_TREE } from '../generated-trees';
import { answerNewAddresses, type AddressWithTree } from './address-proofs';
import {
  type AccountAnswer,
  type AccountV2Answer,
  type Answer,
  type ClosedAccountV2Answer,
  type HolderAnswer,
  type NewAddressProofsAnswer,
  type Page,
  type PageRequest,
  type SignatureAnswer,
  type TransactionAnswer,
} from './answers';
import { type AccountQuery, answerAccount, answerAccountV2 } from './compressed-account';
import {
  type KnownSignature,
  listDistinct,
  listInsertedAddresses,
  listSignatures,
  listQueuedAddresses,
} from './enumerations';
import { LedgerRecords } from './ledger-records';
import { answerOwnerSignatures, answerTokenOwnerSignatures } from './signatures';
import { answerHolders } from './token-holders';
import { answerTransaction, answerTransactionV2 } from './transaction-info';

/**
 * Answers RPC methods for a generated ledger, as of the last applied block.
 *
 * It reads the facts of the generator and does not parse transactions. It shares no code with the indexer: each answer is
 * a full scan of the facts. Keys, hashes and signatures are base58 in parameters and results; malformed ones throw.
 */
export class LedgerOracle {
  private readonly records = new LedgerRecords();

  /** Applies the next block. Blocks must be applied in order. */
  apply(block: GeneratedBlock): void {
    this.records.apply(block.facts);
  }

  /** Slot of the last block; 0 before the first. */
  get slot(): number {
    return this.records.slot;
  }

  getCompressedAccount(query: AccountQuery): Answer<AccountAnswer | null> {
    return answerAccount(this.records, query);
  }

  getCompressedAccountV2(query: AccountQuery): Answer<AccountV2Answer | null> {
    return answerAccountV2(this.records, query);
  }

  getTransactionWithCompressionInfo(signature: string): TransactionAnswer<AccountAnswer, AccountAnswer> | null {
    return answerTransaction(this.records, signature);
  }

  getTransactionWithCompressionInfoV2(
    signature: string,
  ): TransactionAnswer<ClosedAccountV2Answer, AccountV2Answer> | null {
    return answerTransactionV2(this.records, signature);
  }

  getCompressionSignaturesForOwner(owner: string, page: PageRequest = {}): Answer<Page<SignatureAnswer>> {
    return answerOwnerSignatures(this.records, owner, page);
  }

  getCompressionSignaturesForTokenOwner(owner: string, page: PageRequest = {}): Answer<Page<SignatureAnswer>> {
    return answerTokenOwnerSignatures(this.records, owner, page);
  }

  getCompressedMintTokenHolders(mint: string, page: PageRequest = {}): Answer<Page<HolderAnswer>> {
    return answerHolders(this.records, mint, page);
  }

  /** Proofs in the default address tree. */
  getMultipleNewAddressProofs(addresses: readonly string[]): NewAddressProofsAnswer {
    return answerNewAddresses(
      this.records,
      addresses.map((address) => ({ address, tree: DEFAULT_ADDRESS_TREE })),
    );
  }

  getMultipleNewAddressProofsV2(requests: readonly AddressWithTree[]): NewAddressProofsAnswer {
    return answerNewAddresses(this.records, requests);
  }

  /** Hashes of all created accounts, including consumed ones. */
  accounts(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.hash));
  }

  /** Hashes of all accounts that are not consumed. */
  liveAccounts(): string[] {
    const live = this.records.readableAccounts().filter(({ consumption }) => consumption === null);
    return listDistinct(live.map(({ account }) => account.hash));
  }

  /** Hashes of accounts whose data cannot be parsed from their transactions. */
  unreadableAccounts(): string[] {
    const accounts = Array.from(this.records.accounts.values(), ({ account }) => account);
    return listDistinct(accounts.filter(({ isReadable }) => !isReadable).map(({ hash }) => hash));
  }

  /** Addresses of all created accounts, including consumed ones. */
  addresses(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.address));
  }

  owners(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.owner));
  }

  tokenOwners(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.token?.owner));
  }

  mints(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.token?.mint));
  }

  /** All transactions in block order, with and without compression, including failed ones. */
  signatures(): KnownSignature[] {
    return listSignatures(this.records);
  }

  /** Addresses in an address tree: a request for their proof fails. */
  insertedAddresses(): AddressWithTree[] {
    return listInsertedAddresses(this.records);
  }

  /** Addresses in the queue of an address tree: a request for their proof fails in V2 trees and succeeds in V1 trees. */
  queuedAddresses(): AddressWithTree[] {
    return listQueuedAddresses(this.records);
  }
}
