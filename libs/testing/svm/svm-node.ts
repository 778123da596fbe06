import { parsePubkey, toBase58, toPubkey } from '@fresnel/domain/primitives';
import { findFreePortPair } from '@fresnel/platform';
import { FakeNode, FakeSubscriptions, type SubscriptionCall } from '@fresnel/testing/chain';
import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { type LightChain, startLightChain, type SvmTransaction } from './lite-svm';

/** Lamports of the account that airdrops come from. */
const FAUCET_LAMPORTS = 1_000_000_000_000n;
const FAUCET = Keypair.fromSeed(Buffer.alloc(32, 1));
const GENESIS_TIME = 1_700_000_000;
/** Blocks during which a blockhash is valid. */
const VALID_BLOCKS = 150;

/**
 * A Solana node on a chain that executes transactions with Light Protocol's programs. Each transaction makes a block at once;
 * there are no other blocks. Its WebSocket is at the next port, as that of a local validator.
 */
export class SvmNode {
  /** Slots of the transactions by their signatures. */
  private readonly slots = new Map<string, number>();
  private readonly genesisSlot: number;

  private constructor(
    private readonly chain: LightChain,
    private readonly node: FakeNode,
    private readonly subscriptions: FakeSubscriptions,
  ) {
    const { svm, keys } = chain;
    this.genesisSlot = Number(svm.getClock().slot);
    this.readAccounts(keys);
    svm.airdrop(FAUCET.publicKey.toBytes(), FAUCET_LAMPORTS);
    node.firstAvailable = this.addBlock([]);
    subscriptions.onCall = (call) => {
      this.notifySignature(call);
    };
    const methods: Record<string, (params: unknown[]) => unknown> = {
      getAccountInfo: ([key, config]) => this.inContext((node.accounts.getMultiple([[key], config]) as unknown[])[0]),
      getBalance: ([key]) => this.inContext(Number(svm.getAccount(parsePubkey(String(key)))?.lamports() ?? 0n)),
      getBlockHeight: () => this.height,
      getLatestBlockhash: () => {
        const lastValidBlockHeight = this.height + VALID_BLOCKS;
        return this.inContext({ blockhash: svm.latestBlockhash(), lastValidBlockHeight });
      },
      getMinimumBalanceForRentExemption: ([bytes]) => Number(svm.minimumBalanceForRentExemption(BigInt(Number(bytes)))),
      getSignatureStatuses: ([signatures]) =>
        this.inContext((signatures as string[]).map((signature) => this.statusOf(signature))),
      requestAirdrop: ([key, lamports]) => this.airdrop(String(key), Number(lamports)),
      sendTransaction: ([text]) => this.execute(Buffer.from(String(text), 'base64')),
    };
    for (const [name, answer] of Object.entries(methods)) node.methods.set(name, answer);
  }

  static async start(): Promise<SvmNode> {
    const chain = startLightChain();
    const port = await findFreePortPair();
    return new SvmNode(chain, await FakeNode.start([], port), await FakeSubscriptions.start(port + 1));
  }

  get url(): string {
    return this.node.url;
  }

  /** The newest slot. */
  get tip(): number {
    return this.node.tip;
  }

  /** Number of open WebSockets. */
  get webSockets(): number {
    return this.subscriptions.sockets.length;
  }

  async close(): Promise<void> {
    await this.subscriptions.close();
    await this.node.close();
  }

  /** Blocks after the first one. */
  private get height(): number {
    return this.node.tip - this.genesisSlot;
  }

  private inContext(value: unknown): object {
    return { context: { slot: this.node.tip }, value };
  }

  private airdrop(key: string, lamports: number): string {
    const transfer = { fromPubkey: FAUCET.publicKey, toPubkey: new PublicKey(key), lamports };
    const message = new TransactionMessage({
      payerKey: FAUCET.publicKey,
      recentBlockhash: this.chain.svm.latestBlockhash(),
      instructions: [SystemProgram.transfer(transfer)],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([FAUCET]);
    return this.execute(Buffer.from(transaction.serialize()));
  }

  /** @returns the signature @throws if the transaction fails: it is then in no block */
  private execute(wire: Buffer): string {
    const { svm } = this.chain;
    const { signatures, message } = VersionedTransaction.deserialize(wire);
    const signature = toBase58(Buffer.from(signatures[0]));
    if (this.slots.has(signature)) throw new Error('this transaction has already been processed');
    const result = svm.sendVersionedTransaction(wire);
    if ('err' in result) throw new Error(`${String(result.err())}: ${result.meta().logs().join('; ')}`);
    this.readAccounts(message.staticAccountKeys.map((key) => key.toBytes()));
    const slot = this.addBlock([presentTransaction(wire, result)]);
    this.slots.set(signature, slot);
    for (const call of this.subscriptions.calls) if (call.params[0] === signature) this.notifySignature(call);
    return signature;
  }

  /** Ends a block, and starts the next one. @returns its slot */
  private addBlock(transactions: object[]): number {
    const { svm } = this.chain;
    const slot = Number(svm.getClock().slot);
    const previousBlockhash = svm.latestBlockhash();
    svm.expireBlockhash();
    const height = slot - this.genesisSlot;
    const block = {
      blockhash: svm.latestBlockhash(),
      previousBlockhash,
      parentSlot: slot - 1,
      blockTime: GENESIS_TIME + height,
      blockHeight: height,
      transactions,
    };
    this.node.add([{ slot, json: JSON.stringify(block) }]);
    svm.warpToSlot(BigInt(slot + 1));
    return slot;
  }

  /** Serves the present state of accounts. */
  private readAccounts(keys: readonly Uint8Array[]): void {
    for (const key of keys) {
      const account = this.chain.svm.getAccount(key);
      if (!account) continue;
      const [owner, data] = [account.owner(), account.data()].map((bytes) => Buffer.from(bytes));
      this.node.accounts.set(toPubkey(Buffer.from(key)), {
        owner: toPubkey(owner),
        data,
        lamports: Number(account.lamports()),
      });
    }
  }

  private statusOf(signature: string): object | null {
    const slot = this.slots.get(signature);
    return slot === undefined ? null : { slot, confirmations: 1, err: null, confirmationStatus: 'confirmed' };
  }

  private notifySignature(call: SubscriptionCall): void {
    const slot = this.slots.get(String(call.params[0]));
    if (call.method !== 'signatureSubscribe' || slot === undefined) return;
    this.subscriptions.notify(call, { context: { slot }, value: { err: null } });
  }
}

/** An element of `transactions` in a `getBlock` result with base64 encoding. */
function presentTransaction(wire: Buffer, result: SvmTransaction): object {
  const innerInstructions = result.innerInstructions().map((list, index) => ({
    index,
    instructions: list.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: toBase58(Buffer.from(instruction.data())),
        stackHeight: inner.stackHeight(),
      };
    }),
  }));
  return {
    transaction: [wire.toString('base64'), 'base64'],
    meta: {
      err: null,
      innerInstructions: innerInstructions.filter(({ instructions }) => instructions.length > 0),
      logMessages: result.logs(),
      loadedAddresses: { writable: [], readonly: [] },
    },
  };
}
