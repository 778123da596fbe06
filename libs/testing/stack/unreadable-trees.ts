import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toBase58, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { type Environment } from './fresnel-process';
import { type LiveLedger } from './live-ledger';

const owner = LIVE_PROGRAMS.accountCompression;

/** Trees that an indexer of a ledger has to read from the node, which returns malformed accounts until `repair` is called. */
export class UnreadableTrees {
  private readonly trees: TreeInfo[];
  /** Further environment variables for the indexer. */
  readonly env: Environment;

  /** @param isUnreadable whether a tree is one of them; the indexer has all others in a file */
  constructor(
    private readonly ledger: LiveLedger,
    isUnreadable: (tree: TreeInfo) => boolean = () => true,
  ) {
    this.trees = generatedTrees().filter(isUnreadable);
    const file = join(ledger.folder, 'readable-trees.json');
    writeFileSync(file, formatTreesFile(generatedTrees().filter((tree) => !isUnreadable(tree))));
    const treeOwner = toBase58(generatedTrees()[0].owner ?? ZERO_PUBKEY);
    this.env = { TREES_FILE: file, TREE_OWNER: treeOwner, INGEST_DEAD_LETTER_RETRY_MS: '100' };
    this.setAccounts({ height: 0 });
  }

  /** From now on the node returns the accounts. Adds blocks: a dead letter is retried once no fork can orphan its block. */
  repair(): void {
    this.setAccounts({});
    this.ledger.reveal(MAX_FORK_DEPTH + 1);
  }

  private setAccounts(changes: { height?: number }): void {
    const { accounts } = this.ledger.node;
    for (const tree of this.trees) {
      accounts.set(tree.tree, { owner, data: encodeTreeAccount({ ...tree, ...changes }) });
      if (!tree.queue.equals(tree.tree)) accounts.set(tree.queue, { owner, data: encodeQueueAccount(tree) });
    }
  }
}
