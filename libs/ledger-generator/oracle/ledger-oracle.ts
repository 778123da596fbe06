import { type GeneratedBlock } from '../block';
import { DEFAULT_ADDRESS_TREE } from '../generated-trees';
import { answerNewAddresses, type AddressQuestion } from './address-proofs';
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
import { type AccountQuestion, answerAccount, answerAccountV2 } from './compressed-account';
import {
  type KnownSignature,
  listDistinct,
  listInsertedAddresses,
  listSignatures,
  listWaitingAddresses,
} from './enumerations';
import { LedgerRecords } from './ledger-records';
import { answerOwnerSignatures, answerTokenOwnerSignatures } from './signatures';
import { answerHolders } from './token-holders';
import { answerTransaction, answerTransactionV2 } from './transaction-info';

/**
 * Knows what an index of a generated ledger must answer, as of the last block applied.
 *
 * It is told what happened and never reads a transaction, and it answers by looking through everything it was told.
 * Keys, hashes and signatures are base58 on both sides; malformed ones throw.
 */
export class LedgerOracle {
  private readonly records = new LedgerRecords();

  /** Blocks must come in order, each once. */
  apply(block: GeneratedBlock): void {
    this.records.apply(block.facts);
  }

  /** Slot of the last block; 0 before the first. */
  get slot(): number {
    return this.records.slot;
  }

  getCompressedAccount(question: AccountQuestion): Answer<AccountAnswer | null> {
    return answerAccount(this.records, question);
  }

  getCompressedAccountV2(question: AccountQuestion): Answer<AccountV2Answer | null> {
    return answerAccountV2(this.records, question);
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

  /** In the default address tree. */
  getMultipleNewAddressProofs(addresses: readonly string[]): NewAddressProofsAnswer {
    return answerNewAddresses(
      this.records,
      addresses.map((address) => ({ address, tree: DEFAULT_ADDRESS_TREE })),
    );
  }

  getMultipleNewAddressProofsV2(questions: readonly AddressQuestion[]): NewAddressProofsAnswer {
    return answerNewAddresses(this.records, questions);
  }

  /** Hashes of all accounts ever created, consumed ones included. */
  accounts(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.hash));
  }

  /** Hashes of the accounts that are not consumed. */
  liveAccounts(): string[] {
    const live = this.records.readableAccounts().filter(({ consumption }) => consumption === null);
    return listDistinct(live.map(({ account }) => account.hash));
  }

  /** Hashes of accounts of which only the leaf can be known. */
  unreadableAccounts(): string[] {
    const accounts = Array.from(this.records.accounts.values(), ({ account }) => account);
    return listDistinct(accounts.filter(({ isReadable }) => !isReadable).map(({ hash }) => hash));
  }

  /** Addresses at which an account is or was. */
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

  /** Every transaction of every block: with and without compression, and failed. */
  signatures(): KnownSignature[] {
    return listSignatures(this.records);
  }

  /** Addresses that an address tree holds: no proof can be given for them. */
  knownNewAddresses(): AddressQuestion[] {
    return listInsertedAddresses(this.records);
  }

  /** Addresses that wait to be inserted: refused in V2 trees, still provable in V1 trees. */
  waitingNewAddresses(): AddressQuestion[] {
    return listWaitingAddresses(this.records);
  }
}
