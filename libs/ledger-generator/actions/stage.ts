import { type Slot } from '@fresnel/domain/primitives';
import { type Chain } from '../chain/chain';
import { type AccountPool } from '../chain/account-pool';
import { type CreatedAccount, type EventFacts } from '../facts';
import { type Random } from '../random';
import { type Cast } from './cast';

/** Where one transaction is made up: the chain as it is now, who may act, and chance. */
export class Stage {
  private readonly fresh = new Set<CreatedAccount>();

  /** @param isRehearsal nothing that happens becomes true */
  constructor(
    readonly chain: Chain,
    readonly cast: Cast,
    readonly random: Random,
    readonly slot: Slot,
    private readonly isRehearsal = false,
  ) {}

  /** A stage for events that will be seen and must not count. */
  rehearse(): Stage {
    return new Stage(this.chain, this.cast, this.random, this.slot, true);
  }

  /** Makes an event true, so that what follows in the same transaction builds on it. */
  settle(event: EventFacts): void {
    if (this.isRehearsal) return;
    this.chain.apply(event);
    if (event.kind === 'transition') for (const output of event.outputs) this.fresh.add(output);
  }

  /** A live account that suits and can be consumed now. */
  draw(pool: AccountPool, suits: (account: CreatedAccount) => boolean): CreatedAccount | null {
    return pool.draw(this.random, (account) => suits(account) && this.isConsumable(account));
  }

  /** Up to `count` more accounts like the first one, which stands first in the result. */
  drawWith(
    pool: AccountPool,
    first: CreatedAccount,
    count: number,
    suits: (account: CreatedAccount) => boolean,
  ): CreatedAccount[] {
    const others = pool.drawSome(
      this.random,
      count,
      (account) => account !== first && suits(account) && this.isConsumable(account),
    );
    return [first, ...others];
  }

  /** A V1 account needs a proof from a root that contains it, which its own transaction cannot know. */
  private isConsumable(account: CreatedAccount): boolean {
    return account.tree.type === 'stateV2' || !this.fresh.has(account);
  }
}
