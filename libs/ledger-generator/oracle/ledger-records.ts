import { type Hash, type Pubkey, type Signature, keyOf } from '@fresnel/domain/primitives';
import { isAddressTree } from '@fresnel/domain/trees';
import {
  type BlockFacts,
  type CreatedAccount,
  type EventFacts,
  type LeafMigratedFacts,
  type StateBatchFacts,
  type TransactionFacts,
  type TransitionFacts,
} from '../facts';
import { generatedTrees } from '../generated-trees';
import { AddressTree } from '../trees/address-tree';
import { StateTreeV1 } from '../trees/state-tree-v1';
import { StateTreeV2 } from '../trees/state-tree-v2';

/** An account with its current state. */
export interface AccountRecord {
  /** At its current place: that in the V2 tree after its leaf was migrated. */
  account: CreatedAccount;
  /** As it was created. */
  created: CreatedAccount;
  /** Whether it is in the output queue of a V2 tree, consumed or not. */
  isQueued: boolean;
  consumption: Consumption | null;
  /** The wallet of an associated token account. */
  wallet: Pubkey | null;
}

/** How an account was consumed. */
export interface Consumption {
  /** Null for accounts of V1 trees. */
  nullifier: Hash | null;
  txHash: Hash | null;
}

/** A transaction with slot and time of its block. */
export interface TransactionRecord {
  facts: TransactionFacts;
  slot: number;
  /** Unix seconds. */
  blockTime: number;
}

/** All facts of the applied blocks. */
export class LedgerRecords {
  /** Slot of the last block; 0 before the first. */
  slot = 0;
  readonly transactions = new Map<string, TransactionRecord>();
  readonly accounts = new Map<string, AccountRecord>();
  /** From which addresses were derived. */
  readonly seeds: Hash[] = [];
  readonly addressTrees = generatedTrees()
    .filter(isAddressTree)
    .map((info) => new AddressTree(info));
  readonly stateTrees = new Map(
    generatedTrees()
      .filter((info) => !isAddressTree(info))
      .map((info) => [keyOf(info.tree), info.type === 'stateV1' ? new StateTreeV1(info) : new StateTreeV2(info)]),
  );

  apply({ slot, blockTime, transactions }: BlockFacts): void {
    for (const facts of transactions) {
      this.transactions.set(keyOf(facts.signature), { facts, slot, blockTime });
      for (const event of facts.events) this.applyEvent(event);
    }
    this.slot = slot;
  }

  accountOf(hash: Hash): AccountRecord | null {
    return this.accounts.get(keyOf(hash)) ?? null;
  }

  transactionOf(signature: Signature): TransactionRecord | null {
    return this.transactions.get(keyOf(signature)) ?? null;
  }

  hasStateTree(tree: Pubkey): boolean {
    return this.stateTrees.has(keyOf(tree));
  }

  stateTreeOf(tree: Pubkey): StateTreeV1 | StateTreeV2 {
    const found = this.stateTrees.get(keyOf(tree));
    if (!found) throw new Error('no such state tree');
    return found;
  }

  /** Accounts whose data can be parsed from their transactions, including consumed ones. */
  readableAccounts(): AccountRecord[] {
    return [...this.accounts.values()].filter(({ account }) => account.isReadable);
  }

  /** Readable accounts that are not consumed. */
  liveAccounts(): AccountRecord[] {
    return this.readableAccounts().filter(({ consumption }) => consumption === null);
  }

  private applyEvent(event: EventFacts): void {
    switch (event.kind) {
      case 'transition':
        this.applyTransition(event);
        break;
      case 'addresses-inserted':
      case 'addresses-appended':
        this.addressTrees.find(({ info }) => info.tree.equals(event.tree))?.insert(event.addresses);
        break;
      case 'outputs-appended':
        this.dequeueOutputs(event);
        this.updateV2(event, (tree, count) => {
          tree.appendBatch(count);
        });
        break;
      case 'inputs-nullified':
        this.updateV2(event, (tree, count) => {
          tree.nullifyBatch(count);
        });
        break;
      case 'leaves-nullified': {
        const tree = this.stateTreeOf(event.tree);
        if (tree instanceof StateTreeV1) tree.nullify(event.leafIndices);
        break;
      }
      case 'leaf-migrated':
        this.applyMigration(event);
        break;
    }
  }

  private applyTransition({ inputs, outputs, newAddresses, ataOwners, txHash }: TransitionFacts): void {
    for (const [index, account] of outputs.entries()) {
      const wallet = ataOwners.find(({ outputIndex }) => outputIndex === index)?.wallet ?? null;
      const isQueued = account.tree.type === 'stateV2';
      this.accounts.set(keyOf(account.hash), { account, created: account, isQueued, consumption: null, wallet });
      this.stateTreeOf(account.tree.tree).append(account.hash);
    }
    for (const { account, nullification } of inputs) {
      const tree = this.stateTreeOf(account.tree.tree);
      if (tree instanceof StateTreeV1) tree.consume(account.leafIndex);
      else if (nullification) tree.consume(account.leafIndex, nullification);
      const record = this.accountOf(account.hash);
      if (!record) continue;
      const nullifier = nullification?.nullifier ?? null;
      record.consumption = { nullifier, txHash: nullifier && txHash };
    }
    for (const { tree, seed, address } of newAddresses) {
      this.seeds.push(seed);
      this.addressTrees.find(({ info }) => info.tree.equals(tree.tree))?.enqueue(address);
    }
  }

  private applyMigration({ tree, account, target, targetLeafIndex }: LeafMigratedFacts): void {
    const source = this.stateTreeOf(tree);
    if (source instanceof StateTreeV1) source.nullify([account.leafIndex]);
    this.stateTreeOf(target.tree).append(account.hash);
    const record = this.accountOf(account.hash);
    if (!record) return;
    record.account = { ...account, tree: target, leafIndex: targetLeafIndex, seq: null };
    record.isQueued = true;
  }

  private updateV2(
    { tree, oldNextIndex, newNextIndex }: StateBatchFacts,
    update: (tree: StateTreeV2, count: number) => void,
  ): void {
    const found = this.stateTreeOf(tree);
    if (found instanceof StateTreeV2) update(found, newNextIndex - oldNextIndex);
  }

  private dequeueOutputs({ tree, oldNextIndex, newNextIndex }: StateBatchFacts): void {
    for (const record of this.accounts.values()) {
      const { account } = record;
      const isInBatch = account.leafIndex >= oldNextIndex && account.leafIndex < newNextIndex;
      if (isInBatch && account.tree.tree.equals(tree)) record.isQueued = false;
    }
  }
}
