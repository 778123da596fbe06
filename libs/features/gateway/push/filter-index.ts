import { type AccountRecord, type BranchTransaction } from '@fresnel/adapters/store-read';
import { FILTER_KINDS, type FilterKind, type SubscriptionFilter } from '@fresnel/contracts/rpc';
import { keyOf } from '@fresnel/domain/primitives';

/** The values of an account that filters name. */
const VALUE_OF: Record<FilterKind, (account: AccountRecord) => Buffer | null> = {
  hashes: ({ hash }) => hash,
  addresses: ({ address }) => address,
  owners: ({ owner }) => owner,
  tokenOwners: ({ token }) => token && token.owner,
  delegates: ({ token }) => token && token.delegate,
  mints: ({ token }) => token && token.mint,
  trees: ({ tree }) => tree,
};

/** Finds the subscribers of a transaction by the values of its accounts, however many subscribers there are. */
export class FilterIndex<Subscriber> {
  private readonly toAll = new Set<Subscriber>();
  private readonly byValue = new Map<FilterKind, Map<string, Set<Subscriber>>>();

  add(subscriber: Subscriber, filter: SubscriptionFilter): void {
    if (filter === 'all') {
      this.toAll.add(subscriber);
      return;
    }
    for (const kind of FILTER_KINDS) {
      for (const value of filter[kind]) this.subscribersOf(kind, keyOf(value)).add(subscriber);
    }
  }

  remove(subscriber: Subscriber, filter: SubscriptionFilter): void {
    if (filter === 'all') {
      this.toAll.delete(subscriber);
      return;
    }
    for (const kind of FILTER_KINDS) {
      for (const value of filter[kind]) {
        const subscribers = this.subscribersOf(kind, keyOf(value));
        subscribers.delete(subscriber);
        if (subscribers.size === 0) this.byValue.get(kind)?.delete(keyOf(value));
      }
      if (this.byValue.get(kind)?.size === 0) this.byValue.delete(kind);
    }
  }

  find({ consumed, created }: BranchTransaction): Set<Subscriber> {
    const found = new Set(this.toAll);
    for (const [kind, values] of this.byValue) {
      for (const accounts of [consumed, created]) {
        for (const account of accounts) {
          const value = VALUE_OF[kind](account);
          const subscribers = value && values.get(keyOf(value));
          if (subscribers) for (const subscriber of subscribers) found.add(subscriber);
        }
      }
    }
    return found;
  }

  private subscribersOf(kind: FilterKind, key: string): Set<Subscriber> {
    let values = this.byValue.get(kind);
    if (!values) this.byValue.set(kind, (values = new Map<string, Set<Subscriber>>()));
    let subscribers = values.get(key);
    if (!subscribers) values.set(key, (subscribers = new Set<Subscriber>()));
    return subscribers;
  }
}
