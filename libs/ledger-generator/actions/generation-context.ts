import { type Slot } from '@fresnel/domain/primitives';
import { type AccountPool } from '../chain/account-pool';
import { type Chain } from '../chain/chain';
import { type CreatedAccount, type EventFacts } from '../facts';
import { type Random } from '../random';
import { type Actors } from './actors';

/** What an action needs to build one transaction: the state of the chain, the actors, the random source and the slot. */
export class GenerationContext {
  private readonly createdHere = new Set<CreatedAccount>();

  /** @param isDryRun whether events leave the chain unchanged */
  constructor(
    readonly chain: Chain,
    readonly actors: Actors,
    readonly random: Random,
    readonly slot: Slot,
    private readonly isDryRun = false,
  ) {}

  /** A context for a transaction whose events must not change the chain. */
  dryRun(): GenerationContext {
    return new GenerationContext(this.chain, this.actors, this.random, this.slot, true);
  }

  /** Applies an event to the chain, so that later instructions of the same transaction build on it. */
  apply(event: EventFacts): void {
    if (this.isDryRun) return;
    this.chain.apply(event);
    if (event.kind === 'transition') for (const output of event.outputs) this.createdHere.add(output);
  }

  /** A random live account that matches and can be consumed in this transaction; null when there is none. */
  drawAccount(pool: AccountPool, matches: (account: CreatedAccount) => boolean): CreatedAccount | null {
    return pool.draw(this.random, (account) => matches(account) && this.isConsumable(account));
  }

  /** The first account, followed by up to `count` other accounts that match. */
  drawAccounts(
    pool: AccountPool,
    first: CreatedAccount,
    count: number,
    matches: (account: CreatedAccount) => boolean,
  ): CreatedAccount[] {
    const others = pool.drawSome(
      this.random,
      count,
      (account) => account !== first && matches(account) && this.isConsumable(account),
    );
    return [first, ...others];
  }

  /** A V1 input needs a proof against an earlier root, so it cannot be an output of the same transaction. */
  private isConsumable(account: CreatedAccount): boolean {
    return account.tree.type === 'stateV2' || !this.createdHere.has(account);
  }
}
