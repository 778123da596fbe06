import { createHash } from 'node:crypto';
import { type SlotBatch, type SlotUpdate } from '@fresnel/adapters/store-write';
import { type Hash, type Pubkey, type Signature, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type TransactionAccounts } from '@fresnel/domain/state';
import { type SeededRandom } from '@fresnel/testing/simulation';
import { createdAccount, slotUpdate } from '@fresnel/testing/slots';

const FIRST_SLOT = 10;
const OWNERS = 4;
/** Forks are shallow, so that most of them concern what clients have just received. */
const MAX_DEPTH = 3;

/** A transaction of the ledger, and what it shows: signature, opened accounts and closed accounts of known owners. */
export interface LedgerTransaction {
  key: string;
  signature: string;
  opened: string[];
  closed: string[];
  owners: string[];
}

interface LedgerAccount {
  hash: Hash;
  owner: Pubkey;
}

interface Transaction {
  index: number;
  signature: Signature;
  created: LedgerAccount[];
  consumed: Hash[];
  /** Whether the node could read it. */
  isReadable: boolean;
}

interface Block {
  slot: number;
  blockhash: Hash;
  transactions: Transaction[];
}

/** A ledger that grows, forks, and has transactions that can only be read later. All of it is decided by a random number generator. */
export class ForkingLedger {
  readonly owners = Array.from({ length: OWNERS }, (_, number) => digestOf(`owner ${number}`) as Pubkey);
  private readonly branch: Block[] = [];
  private made = 0;

  constructor(private readonly random: SeededRandom) {}

  get firstSlot(): number {
    return FIRST_SLOT;
  }

  get tip(): number {
    return this.branch[this.branch.length - 1].slot;
  }

  /** The next change, as the projector writes it. */
  next(): SlotBatch['slots'] {
    if (this.branch.length > MAX_DEPTH && this.random.chance(0.15)) return this.fork();
    const unreadable = this.branch.filter(({ transactions }) => transactions.some(({ isReadable }) => !isReadable));
    if (unreadable.length > 0 && this.random.chance(0.25)) {
      const block = this.random.pick(unreadable);
      for (const transaction of block.transactions) transaction.isReadable = true;
      return [this.updateOf(block)];
    }
    return Array.from({ length: 1 + this.random.below(2) }, () => this.updateOf(this.grow()));
  }

  /** What the ledger has now, in order. */
  transactions(): LedgerTransaction[] {
    const known = new Map<string, LedgerAccount>();
    for (const { transactions } of this.branch) {
      for (const { created, isReadable } of transactions) {
        if (isReadable) for (const account of created) known.set(toBase58(account.hash), account);
      }
    }
    return this.branch.flatMap(({ slot, transactions }) =>
      transactions.flatMap(({ index, signature, created, consumed, isReadable }) => {
        if (!isReadable) return [];
        const opened = created.map(({ hash }) => toBase58(hash));
        const closed = consumed.map(toBase58).filter((hash) => known.has(hash));
        const owners = [...opened, ...closed].flatMap((hash) => toBase58(known.get(hash)?.owner ?? Buffer.alloc(32)));
        return [{ key: `${slot}/${index}`, signature: toBase58(signature), opened, closed, owners }];
      }),
    );
  }

  private fork(): SlotBatch['slots'] {
    const depth = 1 + this.random.below(MAX_DEPTH);
    const orphaned = this.branch.splice(-depth).reverse();
    return orphaned.map(({ slot, blockhash }) => ({ reverted: { slot: toSlot(slot), blockhash } }));
  }

  private grow(): Block {
    const slot = this.branch.length === 0 ? FIRST_SLOT : this.tip + 1 + this.random.below(2);
    const unspent = this.findUnspent();
    const transactions = Array.from({ length: this.random.below(4) }, (_, place): Transaction => {
      const consumed = unspent.splice(this.random.below(unspent.length + 1), this.random.below(2));
      const created = Array.from({ length: 1 + this.random.below(2) }, () => ({
        hash: this.make('account') as Hash,
        owner: this.random.pick(this.owners),
      }));
      const signature = Buffer.concat([this.make('signature'), digestOf('end')]) as Signature;
      return { index: 3 * place + 1, signature, created, consumed, isReadable: this.random.chance(0.85) };
    });
    const block = { slot, blockhash: this.make('block') as Hash, transactions };
    this.branch.push(block);
    return block;
  }

  private findUnspent(): Hash[] {
    const all = this.branch.flatMap(({ transactions }) => transactions);
    const spent = new Set(all.flatMap(({ consumed }) => consumed.map(toBase58)));
    return all.flatMap(({ created }) => created.map(({ hash }) => hash)).filter((hash) => !spent.has(toBase58(hash)));
  }

  private updateOf(block: Block): SlotUpdate {
    const parent = this.branch[this.branch.indexOf(block) - 1] as Block | undefined;
    const readable = block.transactions.filter(({ isReadable }) => isReadable);
    return slotUpdate(
      block.slot,
      {
        created: readable.flatMap(({ created, signature }) => created.map((account) => createdOf(account, signature))),
        consumed: readable.flatMap(({ consumed, signature }) =>
          consumed.map((hash) => ({ hash, signature, nullification: null })),
        ),
        transactions: readable.map(toAccounts),
      },
      {
        blockhash: block.blockhash,
        isFirst: !parent,
        ...(parent && { parentSlot: toSlot(parent.slot), parentBlockhash: parent.blockhash }),
      },
    );
  }

  private make(what: string): Buffer {
    return digestOf(`${what} ${this.made++}`);
  }
}

function createdOf({ hash, owner }: LedgerAccount, signature: Signature) {
  const { body, ...account } = createdAccount(1, null, 1);
  return { ...account, body: body && { ...body, owner }, hash, signature, leafIndex: hash.readUInt32BE() };
}

function toAccounts({ index, signature, created, consumed }: Transaction): TransactionAccounts {
  return {
    transaction: { signature, index, events: [], json: '{}' },
    created: created.map(({ hash }) => hash),
    consumed,
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
