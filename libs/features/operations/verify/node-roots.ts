import { keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { compareWithHistory, parseTreeAccount } from '@fresnel/domain/trees';
import { type ProvenRoot } from './check-proofs';

/** An account of the node; `data` is null if it does not exist. */
export interface NodeAccountData {
  data: Buffer | null;
  slot: Slot;
}

export type ReadAccount = (account: Pubkey, minContextSlot: Slot, signal: AbortSignal) => Promise<NodeAccountData>;

/** How a proven root compares with the root history of its tree on the chain. `behind`: the node does not have its sequence number yet. */
interface RootOutcome {
  comparison: 'equal' | 'different' | 'not-in-history' | 'behind';
  /** Of the tree account. */
  slot: Slot;
}

/** Compares proven roots with the tree accounts of a node. It keeps the newest account of each tree: about a megabyte. */
export class NodeRoots {
  private readonly newest = new Map<string, NodeAccountData & { seq: bigint }>();

  constructor(private readonly readAccount: ReadAccount) {}

  /** @param minSlot of the proof @throws errors of the node; the signal's reason */
  async compare({ tree, root, seq }: ProvenRoot, minSlot: Slot, signal: AbortSignal): Promise<RootOutcome> {
    const known = this.newest.get(keyOf(tree));
    const account = known && known.seq >= seq ? known : await this.read(tree, minSlot, signal);
    const { data, slot } = account;
    if (data === null) return { comparison: 'different', slot };
    if (account.seq < seq) return { comparison: 'behind', slot };
    return { comparison: compareWithHistory(data, { seq, root }), slot };
  }

  private async read(tree: Pubkey, minSlot: Slot, signal: AbortSignal) {
    const account = await this.readAccount(tree, minSlot, signal);
    const info = account.data && parseTreeAccount(tree, account.data, account.slot);
    const read = { data: info ? account.data : null, slot: account.slot, seq: info?.observed.seq ?? 0n };
    if (info) this.newest.set(keyOf(tree), read);
    return read;
  }
}
