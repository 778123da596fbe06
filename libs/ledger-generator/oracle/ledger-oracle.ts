import { type GeneratedBlock } from '../block';
import { DEFAULT_ADDRESS_TREE } from '../generated-trees';
import { answerAccounts, answerOwnerAccounts, answerTokenAccounts, type DataFilter } from './account-lists';
import { answerAccountInterface } from './account-interfaces';
import { answerAccountProofs, answerAccountProofsV2, isProvable } from './account-proofs';
import { answerNewAddresses, type AddressWithTree } from './address-proofs';
import {
  type AccountAnswer,
  type AccountInterfaceAnswer,
  type AccountProofAnswer,
  type AccountProofsAnswer,
  type AccountProofV2Answer,
  type AccountV2Answer,
  type Answer,
  type ClosedAccountV2Answer,
  type HolderAnswer,
  type NewAddressProofsAnswer,
  type Page,
  type PageRequest,
  type QueueElementsAnswer,
  type SignatureAnswer,
  type TransactionAnswer,
  type ValidityProofAnswer,
  type ValidityProofOutcome,
  type ValidityProofV2Answer,
} from './answers';
import { answerAccountBalance, answerOwnerBalance, answerTokenAccountBalance, answerTokenBalances } from './balances';
import { type AccountKeys, type AccountQuery, answerAccount, answerAccountV2 } from './compressed-account';
import {
  type KnownSignature,
  listDistinct,
  listInsertedAddresses,
  listSignatures,
  listQueuedAddresses,
} from './enumerations';
import { LedgerRecords } from './ledger-records';
import { presentAccount, presentCurrentAccountV2 } from './present-account';
import { answerQueueElements, type QueueElementsRequest } from './queued-entries';
import {
  answerAccountSignatures,
  answerAddressSignatures,
  answerLatestSignatures,
  answerOwnerSignatures,
  answerTokenOwnerSignatures,
} from './signatures';
import { answerHolders } from './token-holders';
import { answerTransaction, answerTransactionV2 } from './transaction-info';
import { type LedgerTree, listTrees } from './tree-accounts';
import { answerValidityProof, answerValidityProofV2, type ValidityProofRequest } from './validity-proofs';

/** The requested page of an owner's accounts. */
export interface OwnerAccountsRequest extends PageRequest {
  filters?: readonly DataFilter[];
}

/** The requested page of a list of tokens. */
export interface TokenListRequest extends PageRequest {
  mint?: string;
}

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

  getMultipleCompressedAccounts(keys: AccountKeys): Answer<{ items: (AccountAnswer | null)[] }> {
    return answerAccounts(this.records, keys, ({ account }) => presentAccount(account));
  }

  getMultipleCompressedAccountsV2(keys: AccountKeys): Answer<{ items: (AccountV2Answer | null)[] }> {
    return answerAccounts(this.records, keys, presentCurrentAccountV2);
  }

  getCompressedAccountBalance(query: AccountQuery): Answer<bigint> {
    return answerAccountBalance(this.records, query);
  }

  getCompressedTokenAccountBalance(query: AccountQuery): Answer<{ amount: bigint }> {
    return answerTokenAccountBalance(this.records, query);
  }

  getCompressedBalanceByOwner(owner: string): Answer<bigint> {
    return answerOwnerBalance(this.records, owner);
  }

  getCompressedAccountsByOwner(owner: string, { filters = [], ...page }: OwnerAccountsRequest = {}) {
    return answerOwnerAccounts(this.records, owner, filters, page, ({ account }) => presentAccount(account));
  }

  getCompressedAccountsByOwnerV2(owner: string, { filters = [], ...page }: OwnerAccountsRequest = {}) {
    return answerOwnerAccounts(this.records, owner, filters, page, presentCurrentAccountV2);
  }

  getCompressedTokenAccountsByOwner(owner: string, { mint, ...page }: TokenListRequest = {}) {
    return answerTokenAccounts(this.records, 'owner', owner, mint, page, ({ account }) => presentAccount(account));
  }

  getCompressedTokenAccountsByOwnerV2(owner: string, { mint, ...page }: TokenListRequest = {}) {
    return answerTokenAccounts(this.records, 'owner', owner, mint, page, presentCurrentAccountV2);
  }

  getCompressedTokenAccountsByDelegate(delegate: string, { mint, ...page }: TokenListRequest = {}) {
    return answerTokenAccounts(this.records, 'delegate', delegate, mint, page, ({ account }) =>
      presentAccount(account),
    );
  }

  getCompressedTokenAccountsByDelegateV2(delegate: string, { mint, ...page }: TokenListRequest = {}) {
    return answerTokenAccounts(this.records, 'delegate', delegate, mint, page, presentCurrentAccountV2);
  }

  getCompressedTokenBalancesByOwnerV2(owner: string, { mint, ...page }: TokenListRequest = {}) {
    return answerTokenBalances(this.records, owner, mint, page);
  }

  /** Without a node. */
  getAccountInterface(address: string): Answer<AccountInterfaceAnswer | null> {
    return answerAccountInterface(this.records, address);
  }

  getCompressionSignaturesForAccount(hash: string): Answer<{ items: SignatureAnswer[] }> {
    return answerAccountSignatures(this.records, hash);
  }

  getCompressionSignaturesForAddress(address: string, page: PageRequest = {}): Answer<Page<SignatureAnswer>> {
    return answerAddressSignatures(this.records, address, page);
  }

  getLatestCompressionSignatures(page: PageRequest = {}): Answer<Page<SignatureAnswer>> {
    return answerLatestSignatures(this.records, page);
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

  getMultipleCompressedAccountProofs(hashes: readonly string[]): AccountProofsAnswer<AccountProofAnswer> {
    return answerAccountProofs(this.records, hashes);
  }

  getMultipleCompressedAccountProofsV2(hashes: readonly string[]): AccountProofsAnswer<AccountProofV2Answer> {
    return answerAccountProofsV2(this.records, hashes);
  }

  /** Null if the request is refused. */
  getQueueElements(request: QueueElementsRequest): QueueElementsAnswer | null {
    return answerQueueElements(this.records, request);
  }

  /** Everything but the proof itself: the oracle is no prover. */
  getValidityProof(request: ValidityProofRequest): ValidityProofOutcome<ValidityProofAnswer> {
    return answerValidityProof(this.records, request);
  }

  /** Everything but the proof itself. */
  getValidityProofV2(request: ValidityProofRequest): ValidityProofOutcome<ValidityProofV2Answer> {
    return answerValidityProofV2(this.records, request);
  }

  /** Hashes of all accounts with a proof of the V2 form, including consumed ones. */
  provableAccounts(): string[] {
    const records = [...this.records.accounts.values()].filter((record) => isProvable(this.records, record));
    return listDistinct(records.map(({ account }) => account.hash));
  }

  /** Hashes of all created accounts, including consumed ones. */
  accounts(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.hash));
  }

  /** Hashes of all accounts that are not consumed. */
  liveAccounts(): string[] {
    return listDistinct(this.records.liveAccounts().map(({ account }) => account.hash));
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

  /** Keys from which programs derived addresses, and others like them. */
  seeds(): string[] {
    return listDistinct(this.records.seeds);
  }

  delegates(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.token?.delegate));
  }

  mints(): string[] {
    return listDistinct(this.records.readableAccounts().map(({ account }) => account.token?.mint));
  }

  /** All transactions in block order, with and without compression, including failed ones. */
  signatures(): KnownSignature[] {
    return listSignatures(this.records);
  }

  /** The trees as their accounts on the chain have them. */
  trees(): LedgerTree[] {
    return listTrees(this.records);
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
