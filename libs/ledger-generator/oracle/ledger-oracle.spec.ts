import {
  be32,
  decodeBase58,
  encodeBase58,
  keyOf,
  parseHash,
  toBase58,
  u64ToLittleEndian,
} from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { hashElement, type IndexedElement, MAX_ADDRESS } from '@fresnel/domain/trees';
import { rootOfProof } from '@fresnel/testing/address-trees';
import { type GeneratedBlock } from '../block';
import { type EventFacts } from '../facts';
import { generateLedger } from '../generate-ledger';
import { DEFAULT_ADDRESS_TREE } from '../generated-trees';
import { type NewAddressProof, type Page, type PageRequest } from './answers';
import { LedgerOracle } from './ledger-oracle';

const V2_ADDRESS_TREE = 'amt2kaJA14v3urZbZvnc5v2np8jqvc4Z8zDep5wbtzx';
const blocks: GeneratedBlock[] = [...generateLedger({ seed: 5, slots: 50 })];
const oracle = new LedgerOracle();
for (const block of blocks) oracle.apply(block);

const facts = blocks.flatMap((block) => block.facts.transactions);
const events = facts.flatMap((transaction) => transaction.events);
const transitions = events.filter((event): event is EventFacts & { kind: 'transition' } => event.kind === 'transition');
const consumed = new Set(transitions.flatMap(({ inputs }) => inputs.map(({ account }) => keyOf(account.hash))));
const created = transitions.flatMap(({ outputs }) => outputs);

/** All items of a list, fetched page by page. */
function collect<Item>(limit: number, fetch: (request: PageRequest) => Page<Item>): Item[] {
  const items: Item[] = [];
  let cursor: string | null | undefined;
  do {
    const page = fetch({ limit, ...(cursor ? { cursor } : {}) });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return items;
}

describe('accounts', () => {
  it('are found by hash until they are consumed', () => {
    expect(oracle.accounts()).toHaveLength(created.length);
    for (const { hash } of created) {
      const { context, value } = oracle.getCompressedAccount({ hash: toBase58(hash) });
      expect(context.slot).toBe(oracle.slot);
      expect(value?.hash ?? null).toBe(consumed.has(keyOf(hash)) ? null : toBase58(hash));
    }
  });

  it('are found by address while they are live', () => {
    for (const address of oracle.addresses()) {
      const live = created.filter(
        (account) => account.address?.equals(parseHash(address)) && !consumed.has(keyOf(account.hash)),
      );
      expect(live.length).toBeLessThanOrEqual(1);
      expect(oracle.getCompressedAccount({ address }).value?.hash ?? null).toBe(
        live.length ? toBase58(live[0].hash) : null,
      );
    }
  });

  it('are proven by index while they are in the output queue', () => {
    const appended = events.flatMap((event) => (event.kind === 'outputs-appended' ? [event] : []));
    for (const { hash, tree, leafIndex } of created) {
      const { value } = oracle.getCompressedAccountV2({ hash: toBase58(hash) });
      if (!value) continue;
      const isAppended = appended.some((event) => event.tree.equals(tree.tree) && leafIndex < event.newNextIndex);
      expect(value.proveByIndex).toBe(tree.type === 'stateV2' && !isAppended);
      expect(value.seq === null).toBe(tree.type === 'stateV2');
      expect(value.merkleContext.tree).toBe(toBase58(tree.tree));
    }
  });

  it('are not found before their slot', () => {
    const early = new LedgerOracle();
    early.apply(blocks[0]);
    const [last] = created.slice(-1);
    expect(early.getCompressedAccount({ hash: toBase58(last.hash) }).value).toBeNull();
    expect(early.slot).toBe(blocks[0].slot);
  });
});

describe('transactions', () => {
  it('without compression, and failed ones, return null', () => {
    for (const { signature, result } of oracle.signatures()) {
      expect(oracle.getTransactionWithCompressionInfo(signature) === null).toBe(result !== 'compression');
    }
  });

  it('list closed and opened accounts in the order of the events', () => {
    for (const { signature, events: own } of facts) {
      const answer = oracle.getTransactionWithCompressionInfoV2(toBase58(signature));
      const parts = own.filter((event) => event.kind === 'transition');
      expect(answer?.compressionInfo.closedAccounts.map(({ account }) => account.account.hash) ?? []).toEqual(
        parts.flatMap(({ inputs }) => inputs.map(({ account }) => toBase58(account.hash))),
      );
      expect(answer?.compressionInfo.openedAccounts.map(({ account }) => account.hash) ?? []).toEqual(
        parts.flatMap(({ outputs }) => outputs.map(({ hash }) => toBase58(hash))),
      );
    }
  });

  it('contain the transaction text of the block, with slot and time', () => {
    const block = blocks.find((each) => each.facts.transactions.some((transaction) => transaction.events.length > 0));
    const transaction = block?.facts.transactions.find((each) => each.events.length > 0);
    if (!block || !transaction) throw new Error('the ledger has no such transaction');
    const text = oracle.getTransactionWithCompressionInfo(toBase58(transaction.signature))?.transaction ?? '';
    expect(block.json).toContain(transaction.members);
    expect(text).toBe(`{"slot":${block.slot},${transaction.members},"blockTime":${block.facts.blockTime}}`);
    expect(Object.keys(JSON.parse(text))).toEqual(['slot', 'transaction', 'meta', 'version', 'blockTime']);
  });

  it('have nullifiers for accounts of V2 trees, and zeros for those of V1 trees', () => {
    const zero = '1'.repeat(32);
    for (const { signature } of oracle.signatures()) {
      const closed = oracle.getTransactionWithCompressionInfoV2(signature)?.compressionInfo.closedAccounts ?? [];
      for (const { account } of closed) {
        expect(account.nullifier === zero).toBe(account.account.merkleContext.treeType === 1);
      }
    }
  });

  it('preserve the supply of a mint except for mints and burns', () => {
    for (const { action, signature } of facts) {
      if (!CONSERVING.has(action)) continue;
      const info = oracle.getTransactionWithCompressionInfo(toBase58(signature))?.compressionInfo;
      expect(sumsByMint(info?.preTokenBalances)).toEqual(sumsByMint(info?.postTokenBalances));
    }
  });
});

const CONSERVING = new Set([
  ...['transferTokens', 'transferAsDelegate', 'delegateTokens', 'revokeDelegate', 'freezeTokens', 'thawTokens'],
]);

function sumsByMint(balances: readonly { mint: string; amount: bigint }[] = []): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { mint, amount } of balances) sums[mint] = (sums[mint] ?? 0n) + amount;
  return sums;
}

describe('signatures of owners', () => {
  it('have the same order for every page size, without duplicates', () => {
    for (const owner of oracle.owners().slice(0, 6)) {
      const whole = oracle.getCompressionSignaturesForOwner(owner).value.items;
      const paged = collect(3, (page) => oracle.getCompressionSignaturesForOwner(owner, page).value);
      expect(paged).toEqual(whole);
      expect(new Set(whole.map(({ signature }) => signature)).size).toBe(whole.length);
      expect(whole.map(({ slot }) => slot)).toEqual(whole.map(({ slot }) => slot).sort((a, b) => b - a));
    }
  });

  it('have a cursor of the slot and signature of the last item of a full page', () => {
    const [owner] = oracle.owners();
    const { items, cursor } = oracle.getCompressionSignaturesForOwner(owner, { limit: 1 }).value;
    const expected = Buffer.concat([u64ToLittleEndian(BigInt(items[0].slot)), decodeBase58(items[0].signature)]);
    expect(cursor).toBe(encodeBase58(expected));
    expect(oracle.getCompressionSignaturesForOwner(owner, { limit: 0 }).value).toEqual({ items: [], cursor: null });
  });

  it('of token owners match the owner in the token data', () => {
    const [owner] = oracle.tokenOwners();
    const touching = facts.filter(({ events: own }) =>
      own.some(
        (event) =>
          event.kind === 'transition' &&
          [...event.outputs, ...event.inputs.map(({ account }) => account)].some(
            ({ token }) => token && toBase58(token.owner) === owner,
          ),
      ),
    );
    const answered = oracle.getCompressionSignaturesForTokenOwner(owner).value.items.map(({ signature }) => signature);
    expect(new Set(answered)).toEqual(new Set(touching.map(({ signature }) => toBase58(signature))));
  });
});

describe('accounts of a key', () => {
  const coldOf = (keys: readonly string[]) => keys.flatMap((key) => oracle.getAccountInterface(key).value?.cold ?? []);

  it('include those at addresses that were derived from it', () => {
    const addresses = coldOf(oracle.seeds()).map(({ address }) => address);
    expect(addresses.length).toBeGreaterThan(0);
    expect(oracle.addresses()).toEqual(expect.arrayContaining(addresses));
  });

  it('include those of which it is the wallet', () => {
    const larger = new LedgerOracle();
    const wallets = new Map<string, string>();
    for (const block of generateLedger({ seed: 9, slots: 40, weights: { mintTokens: 60 } })) {
      larger.apply(block);
      for (const event of block.facts.transactions.flatMap(({ events }) => events)) {
        if (event.kind !== 'transition') continue;
        for (const { outputIndex, wallet } of event.ataOwners) {
          const { token, hash } = event.outputs[outputIndex];
          if (token) wallets.set(toBase58(hash), toBase58(wallet));
        }
      }
    }
    const live = larger.liveAccounts().filter((hash) => wallets.has(hash));
    expect(live.length).toBeGreaterThan(0);
    for (const hash of live) {
      const { value } = larger.getAccountInterface(wallets.get(hash) ?? '');
      expect(value?.cold.map((account) => account.hash)).toContain(hash);
    }
  });
});

describe('holders of a mint', () => {
  it('sum up to the supply, and have positive balances', () => {
    for (const mint of oracle.mints()) {
      const holders = collect(2, (page) => oracle.getCompressedMintTokenHolders(mint, page).value);
      const isOf = (account: (typeof created)[number]) => account.token && toBase58(account.token.mint) === mint;
      const live = created.filter((account) => isOf(account) && !consumed.has(keyOf(account.hash)));
      const supply = live.reduce((sum, { token }) => sum + (token?.amount ?? 0n), 0n);
      expect(holders.reduce((sum, { balance }) => sum + balance, 0n)).toBe(supply);
      expect(holders.every(({ balance }) => balance > 0n)).toBe(true);
      expect(new Set(holders.map(({ owner }) => owner)).size).toBe(holders.length);
    }
  });
});

describe('lists of live accounts', () => {
  const live = created.filter(({ hash }) => !consumed.has(keyOf(hash)));
  const sorted = <Item extends { hash: Buffer }>(items: Item[], compare: (a: Item, b: Item) => number) =>
    [...items].sort((a, b) => compare(a, b) || a.hash.compare(b.hash)).map(({ hash }) => toBase58(hash));

  it('of an owner are in the order of leaf index and hash for every page size', () => {
    for (const owner of oracle.owners()) {
      const owned = live.filter((account) => toBase58(account.owner) === owner);
      const expected = sorted(owned, (a, b) => a.leafIndex - b.leafIndex);
      for (const limit of [1, 3, 1000]) {
        const paged = collect(limit, (page) => oracle.getCompressedAccountsByOwnerV2(owner, page).value);
        expect(paged.map(({ hash }) => hash)).toEqual(expected);
      }
      const lamports = owned.reduce((sum, account) => sum + account.lamports, 0n);
      expect(oracle.getCompressedBalanceByOwner(owner).value).toBe(lamports);
    }
  });

  it('match filters with their data', () => {
    const [account] = live.filter(({ data }) => data && data.bytes.length > 1);
    const find = (offset: number, bytes: Buffer) =>
      oracle
        .getCompressedAccountsByOwner(toBase58(account.owner), { filters: [{ offset, bytes }] })
        .value.items.map(({ hash }) => hash);
    expect(find(1, account.data?.bytes.subarray(1) ?? Buffer.alloc(0))).toContain(toBase58(account.hash));
    expect(find(0, Buffer.alloc(5_000))).toEqual([]);
  });

  it.each(['owner', 'delegate'] as const)('of tokens by %s are in the order of mint and hash', (by) => {
    const method = by === 'owner' ? 'getCompressedTokenAccountsByOwner' : 'getCompressedTokenAccountsByDelegate';
    for (const key of by === 'owner' ? oracle.tokenOwners() : oracle.delegates()) {
      const tokens = live.flatMap(({ hash, token }) =>
        token?.[by] && toBase58(token[by]) === key ? [{ hash, mint: token.mint }] : [],
      );
      const paged = collect(2, (page) => oracle[method](key, page).value);
      expect(paged.map(({ account }) => account.hash)).toEqual(sorted(tokens, (a, b) => a.mint.compare(b.mint)));
    }
  });

  it('have token balances that are sums of amounts', () => {
    for (const owner of oracle.tokenOwners()) {
      const accounts = oracle.getCompressedTokenAccountsByOwner(owner).value.items;
      const balances = collect(1, (page) => oracle.getCompressedTokenBalancesByOwnerV2(owner, page).value);
      for (const { mint, balance } of balances) {
        const ofMint = accounts.filter(({ tokenData }) => tokenData.mint === mint);
        expect(ofMint.reduce((sum, { tokenData }) => sum + tokenData.amount, 0n)).toBe(balance);
      }
      const supplied = accounts.filter(({ tokenData }) => tokenData.amount > 0n).map(({ tokenData }) => tokenData.mint);
      expect(new Set(balances.map(({ mint }) => mint))).toEqual(new Set(supplied));
    }
  });
});

describe('signatures of accounts', () => {
  it('are those of creation and consumption', () => {
    for (const { hash } of created.slice(0, 50)) {
      const { items } = oracle.getCompressionSignaturesForAccount(toBase58(hash)).value;
      const changing = facts.filter(({ events: own }) =>
        own.some(
          (event) =>
            event.kind === 'transition' &&
            [...event.outputs, ...event.inputs.map(({ account }) => account)].some((each) => each.hash.equals(hash)),
        ),
      );
      expect(new Set(items.map(({ signature }) => signature))).toEqual(
        new Set(changing.map(({ signature }) => toBase58(signature))),
      );
      expect(items.map(({ slot }) => slot)).toEqual(items.map(({ slot }) => slot).sort((a, b) => b - a));
    }
  });

  it('of all accounts are among the latest', () => {
    const latest = collect(7, (page) => oracle.getLatestCompressionSignatures(page).value);
    const compressing = oracle.signatures().filter(({ result }) => result === 'compression');
    expect(latest).toHaveLength(compressing.length);
    expect(new Set(latest.map(({ signature }) => signature))).toEqual(
      new Set(compressing.map((each) => each.signature)),
    );
    for (const address of oracle.addresses().slice(0, 5)) {
      const { items } = oracle.getCompressionSignaturesForAddress(address).value;
      expect(items.length).toBeGreaterThan(0);
      expect(latest).toEqual(expect.arrayContaining(items));
    }
  });
});

describe('proofs of accounts', () => {
  const rootAfter = (kinds: string[], tree: string) => {
    const last = events.flatMap((event) => ('newRoot' in event && kinds.includes(event.kind) ? [event] : []));
    return toBase58(last.filter((event) => toBase58(event.tree) === tree).slice(-1)[0].newRoot);
  };

  it('hash up to the root of the last batch, or of the V1 tree', () => {
    const answer = oracle.getMultipleCompressedAccountProofsV2(oracle.provableAccounts());
    if (answer.outcome !== 'proofs') throw new Error(answer.outcome);
    const appended = answer.value.filter(({ proveByIndex }) => !proveByIndex);
    expect(new Set(appended.map(({ treeContext }) => treeContext.treeType))).toEqual(new Set([1, 3]));
    for (const { hash, leafIndex, proof, root, treeContext } of appended) {
      expect(toBase58(rootOfProof(parseHash(hash), leafIndex, proof.map(parseHash), poseidon))).toBe(root);
      if (treeContext.treeType === 1) continue;
      expect(root).toBe(rootAfter(['outputs-appended', 'inputs-nullified'], treeContext.tree));
    }
    expect(appended.length).toBeLessThan(answer.value.length);
  });

  it('exist for unspent accounts, and are refused for nullified ones', () => {
    const live = new Set(created.filter(({ hash }) => !consumed.has(keyOf(hash))).map(({ hash }) => toBase58(hash)));
    const refused = created
      .map(({ hash }) => toBase58(hash))
      .filter((hash) => {
        const { outcome } = oracle.getMultipleCompressedAccountProofsV2([hash]);
        return outcome === 'refused';
      });
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter((hash) => live.has(hash))).toEqual([]);
  });
});

describe('an account whose leaf was migrated', () => {
  const migrated = new LedgerOracle();
  const ledger = [...generateLedger({ seed: 6, slots: 30, weights: { migrateLeaves: 20 } })];
  for (const block of ledger) migrated.apply(block);
  const migrations = ledger
    .flatMap((block) => block.facts.transactions)
    .flatMap((transaction) => transaction.events)
    .filter((event) => event.kind === 'leaf-migrated');

  it('has its place in the V2 tree, and is proven there', () => {
    expect(migrations.length).toBeGreaterThan(10);
    const places = migrations.map(({ account, target, targetLeafIndex }) => {
      const hash = toBase58(account.hash);
      const { value } = migrated.getCompressedAccountV2({ hash });
      expect(value).toMatchObject({
        leafIndex: targetLeafIndex,
        seq: null,
        merkleContext: { treeType: 3, tree: toBase58(target.tree), queue: toBase58(target.queue) },
      });
      const proof = migrated.getMultipleCompressedAccountProofsV2([hash]);
      expect(proof).toMatchObject({ value: [{ leafIndex: targetLeafIndex, proveByIndex: value?.proveByIndex }] });
      return value?.proveByIndex;
    });
    expect(new Set(places)).toEqual(new Set([true, false]));
  });

  it('has the place in the V1 tree among the accounts that its transaction opened', () => {
    for (const { signature, events } of ledger.flatMap(({ facts }) => facts.transactions)) {
      const created = events.flatMap((event) => (event.kind === 'transition' ? event.outputs : []));
      const opened = migrated.getTransactionWithCompressionInfo(toBase58(signature))?.compressionInfo.openedAccounts;
      const readable = created.filter(({ isReadable }) => isReadable);
      expect((opened ?? []).map(({ account }) => [account.tree, account.leafIndex])).toEqual(
        readable.map(({ tree, leafIndex }) => [toBase58(tree.tree), leafIndex]),
      );
    }
  });

  it('is in the queue of the V2 tree', () => {
    const queued = migrations.flatMap(({ account, target, targetLeafIndex }) => {
      const outputQueue = { limit: 1, startIndex: targetLeafIndex, zkpBatchSize: 1 };
      const { stateQueue } = migrated.getQueueElements({ tree: toBase58(target.tree), outputQueue }) ?? {};
      return stateQueue?.outputQueue ? [[stateQueue.outputQueue.accountHashes, [toBase58(account.hash)]]] : [];
    });
    expect(queued.length).toBeGreaterThan(0);
    for (const [hashes, expected] of queued) expect(hashes).toEqual(expected);
  });
});

describe('proofs for new addresses', () => {
  const candidates = [1, 77, 4242].map((value) => toBase58(be32(BigInt(value) << 200n)));

  function check(proof: NewAddressProof, type: 'addressV1' | 'addressV2'): void {
    const [low, address, high] = [proof.lowerRangeAddress, proof.address, proof.higherRangeAddress].map(parseHash);
    expect([low.compare(address), address.compare(high)]).toEqual([-1, -1]);
    const { lowElementLeafIndex: index, nextIndex } = proof;
    const element: IndexedElement = { index, value: low, nextIndex, nextValue: high };
    const leaf = hashElement(type, element, poseidon);
    expect(toBase58(rootOfProof(leaf, index, proof.proof.map(parseHash), poseidon))).toBe(proof.root);
  }

  it('hash up to the root of the default tree', () => {
    const answer = oracle.getMultipleNewAddressProofs(candidates);
    if (answer.outcome !== 'proofs') throw new Error(answer.outcome);
    expect(answer.value.map(({ address }) => address)).toEqual(candidates);
    for (const proof of answer.value) {
      check(proof, 'addressV1');
      expect([proof.proof.length, proof.merkleTree]).toEqual([26, DEFAULT_ADDRESS_TREE]);
    }
    const inserted = events.filter((event) => event.kind === 'addresses-inserted');
    expect(answer.value[0].rootSeq).toBe(3n + 2n * BigInt(inserted.flatMap(({ addresses }) => addresses).length));
  });

  it('hash up to the root of the last batch of the V2 tree', () => {
    const answer = oracle.getMultipleNewAddressProofsV2(
      candidates.map((address) => ({ address, tree: V2_ADDRESS_TREE })),
    );
    if (answer.outcome !== 'proofs') throw new Error(answer.outcome);
    const batches = events.filter((event) => event.kind === 'addresses-appended');
    for (const proof of answer.value) {
      check(proof, 'addressV2');
      expect(proof.root).toBe(toBase58(batches[batches.length - 1].newRoot));
      expect([proof.proof.length, proof.rootSeq]).toEqual([40, BigInt(batches.length)]);
    }
  });

  it('are refused for addresses in a tree, and for queued addresses of a V2 tree', () => {
    for (const query of oracle.insertedAddresses()) {
      const outcome = { outcome: 'exists', address: query.address };
      expect(oracle.getMultipleNewAddressProofsV2([query])).toEqual(outcome);
    }
    for (const query of oracle.queuedAddresses()) {
      const { outcome } = oracle.getMultipleNewAddressProofsV2([query]);
      expect(outcome).toBe(query.tree === V2_ADDRESS_TREE ? 'exists' : 'proofs');
    }
  });

  it('are refused for 0, for addresses out of range, and for other trees than address trees', () => {
    const zero = toBase58(be32(0));
    expect(oracle.getMultipleNewAddressProofs([candidates[0], zero])).toEqual({ outcome: 'exists', address: zero });
    const max = toBase58(MAX_ADDRESS);
    expect(oracle.getMultipleNewAddressProofs([zero, max])).toEqual({ outcome: 'out-of-range', address: max });
    const tree = 'smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT';
    const outcome = { outcome: 'unknown-tree', tree };
    expect(oracle.getMultipleNewAddressProofsV2([{ address: candidates[0], tree }])).toEqual(outcome);
  });

  it('before the first block use the initial elements of the tree', () => {
    const answer = new LedgerOracle().getMultipleNewAddressProofs([candidates[0]]);
    expect(answer).toMatchObject({
      outcome: 'proofs',
      value: [
        {
          lowerRangeAddress: '1'.repeat(32),
          higherRangeAddress: '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL',
          nextIndex: 1,
          rootSeq: 3n,
          root: '3FrGzyXtjqjnukHDS2M5oyVj8tMVcHSahcHpWBGR5MHY',
        },
      ],
    });
  });
});
