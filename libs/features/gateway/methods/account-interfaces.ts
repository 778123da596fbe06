import { type NodeAccount, NodeError, NodeRpc, NodeUnavailableError } from '@fresnel/adapters/chain';
import { type ColdAccount, findColdAccounts, Reader, StoreUnavailableError } from '@fresnel/adapters/store-read';
import { type SolanaAccountsRequest } from '@fresnel/contracts/rpc';
import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';

/** What is known of a Solana account. */
export interface FoundInterface {
  key: Pubkey;
  /** The account on the chain, and the slot as of which the node answered. */
  hot: { account: NodeAccount; slot: number } | null;
  /** The newest first. */
  cold: readonly ColdAccount[];
}

/** Finds accounts on the chain and in the tables. */
@Injectable()
export class AccountInterfaces {
  constructor(
    private readonly reader: Reader,
    /** Null: none is configured. */
    @Inject(NodeRpc) private readonly node: NodeRpc | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Finds the accounts of addresses. If one side is away, the other is the answer.
   *
   * @returns an item for each address, and the indexed slot, or that of the node without the tables
   * @throws StoreUnavailableError if both sides are away
   */
  async find({ addresses, commitment }: SolanaAccountsRequest): Promise<{ slot: number; items: FoundInterface[] }> {
    const distinct = [...new Map(addresses.map((key) => [keyOf(key), key])).values()];
    const [hot, cold] = await Promise.all([this.findHot(distinct, commitment), this.findCold(distinct)]);
    const slot = cold?.slot ?? hot?.slot;
    if (slot === undefined) throw new StoreUnavailableError('neither the database nor the node answers');
    const found = new Map<string, FoundInterface>();
    for (const [at, key] of distinct.entries()) {
      const account = hot?.accounts[at];
      const isLive = hot && account && account.lamports > 0n;
      found.set(keyOf(key), {
        key,
        hot: isLive ? { account, slot: hot.slot } : null,
        cold: cold?.items[at] ?? [],
      });
    }
    const items = addresses.flatMap((key) => found.get(keyOf(key)) ?? []);
    return { slot, items };
  }

  /** Null if the node does not answer, or none is configured. */
  private async findHot(keys: readonly Pubkey[], commitment: SolanaAccountsRequest['commitment']) {
    try {
      return (await this.node?.readAccounts(keys, commitment)) ?? null;
    } catch (error) {
      if (!(error instanceof NodeUnavailableError || error instanceof NodeError)) throw error;
      this.logger.warn({ error }, 'the node does not answer, only compressed accounts are returned');
      return null;
    }
  }

  /** Null if the database does not answer. */
  private async findCold(keys: readonly Pubkey[]) {
    try {
      return await findColdAccounts(this.reader, keys);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.logger.warn({ error }, 'the database does not answer, only accounts on the chain are returned');
      return null;
    }
  }
}
