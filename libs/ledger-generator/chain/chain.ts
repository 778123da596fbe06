import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { isAddressTree, type TreeInfo } from '@fresnel/domain/trees';
import { type CreatedAccount, type EventFacts, type LeafMigratedFacts, type TransitionFacts } from '../facts';
import { AddressTree } from '../trees/address-tree';
import { StateTreeV1 } from '../trees/state-tree-v1';
import { StateTreeV2 } from '../trees/state-tree-v2';
import { AccountPool } from './account-pool';

/** A state tree of either version. */
export type StateTree = StateTreeV1 | StateTreeV2;

/** The state of the generated chain: trees, live accounts, and the compressed supply of each mint. */
export class Chain {
  readonly stateTreesV1: readonly StateTreeV1[];
  readonly stateTreesV2: readonly StateTreeV2[];
  readonly addressTrees: readonly AddressTree[];
  /** Live accounts other than token accounts. */
  readonly plainAccounts = new AccountPool();
  readonly tokenAccounts = new AccountPool();
  private readonly supplies = new Map<string, bigint>();

  constructor(trees: readonly TreeInfo[]) {
    this.stateTreesV1 = trees.filter(({ type }) => type === 'stateV1').map((info) => new StateTreeV1(info));
    this.stateTreesV2 = trees.filter(({ type }) => type === 'stateV2').map((info) => new StateTreeV2(info));
    this.addressTrees = trees.filter(isAddressTree).map((info) => new AddressTree(info));
  }

  get stateTrees(): readonly StateTree[] {
    return [...this.stateTreesV1, ...this.stateTreesV2];
  }

  get addressTreesV1(): readonly AddressTree[] {
    return this.addressTrees.filter(({ info }) => info.type === 'addressV1');
  }

  get addressTreesV2(): readonly AddressTree[] {
    return this.addressTrees.filter(({ info }) => info.type === 'addressV2');
  }

  /** Compressed supply of a mint, in its smallest unit. */
  supplyOf(mint: Pubkey): bigint {
    return this.supplies.get(keyOf(mint)) ?? 0n;
  }

  /** The tree with the key. @throws RangeError when there is none */
  treeOf<T extends { info: TreeInfo }>(trees: readonly T[], key: Pubkey): T {
    const tree = trees.find(({ info }) => info.tree.equals(key));
    if (!tree) throw new RangeError('the generated ledger has no such tree');
    return tree;
  }

  apply(event: EventFacts): void {
    switch (event.kind) {
      case 'transition':
        this.applyTransition(event);
        break;
      case 'leaves-nullified':
        this.treeOf(this.stateTreesV1, event.tree).nullify(event.leafIndices);
        break;
      case 'leaf-migrated':
        this.applyMigration(event);
        break;
      case 'addresses-inserted':
      case 'addresses-appended':
        this.treeOf(this.addressTrees, event.tree).insert(event.addresses);
        break;
      case 'outputs-appended':
        this.treeOf(this.stateTreesV2, event.tree).appendBatch(event.newNextIndex - event.oldNextIndex);
        break;
      case 'inputs-nullified':
        this.treeOf(this.stateTreesV2, event.tree).nullifyBatch(event.newNextIndex - event.oldNextIndex);
        break;
    }
  }

  private applyTransition({ inputs, outputs, newAddresses }: TransitionFacts): void {
    for (const { account, nullification } of inputs) {
      const { tree } = account.tree;
      if (nullification) this.treeOf(this.stateTreesV2, tree).consume(account.leafIndex, nullification);
      else this.treeOf(this.stateTreesV1, tree).consume(account.leafIndex);
      this.poolOf(account).remove(account);
      this.addToSupply(account, -1n);
    }
    for (const account of outputs) {
      this.treeOf(this.stateTrees, account.tree.tree).append(account.hash);
      if (account.isReadable) this.poolOf(account).add(account);
      this.addToSupply(account, 1n);
    }
    for (const { tree, address } of newAddresses) this.treeOf(this.addressTrees, tree.tree).enqueue(address);
  }

  /** No transition consumes a migrated account: its hash commits to its place in the V1 tree. */
  private applyMigration({ tree, account, target }: LeafMigratedFacts): void {
    this.treeOf(this.stateTreesV1, tree).nullify([account.leafIndex]);
    this.treeOf(this.stateTreesV2, target.tree).append(account.hash);
    this.poolOf(account).remove(account);
  }

  private poolOf({ token }: CreatedAccount): AccountPool {
    return token ? this.tokenAccounts : this.plainAccounts;
  }

  private addToSupply({ token }: CreatedAccount, sign: bigint): void {
    if (token) this.supplies.set(keyOf(token.mint), this.supplyOf(token.mint) + sign * token.amount);
  }
}
