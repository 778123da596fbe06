import { once } from 'node:events';
import { NodeRpc, NodeSockets } from '@fresnel/adapters/chain';
import { createLogger } from '@fresnel/platform';
import { FakeNode, FakeSubscriptions } from '@fresnel/testing/chain';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { until } from '@fresnel/testing/generic';
import { createRpc, type Rpc } from '@lightprotocol/stateless.js';
import { Keypair } from '@solana/web3.js';
import { parseForwardedMethods } from '../methods/forwarded-methods';

const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const BLOCKHASH = '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn';

describe('stateless.js and web3.js with one URL', () => {
  let node: FakeNode;
  let subscriptions: FakeSubscriptions;
  let gateway: TestGateway;
  let rpc: Rpc;
  beforeEach(async () => {
    const logger = createLogger('silent');
    const limits = { timeoutMs: 5_000, maxMessageBytes: 1_000_000, maxResponseBytes: 1_000_000, concurrency: 8 };
    [node, subscriptions] = [await FakeNode.start(), await FakeSubscriptions.start()];
    gateway = await startTestGateway({
      node: new NodeRpc({ urls: [node.url], commitment: 'confirmed', onAttempt: () => undefined, ...limits }, logger),
      nodeSockets: new NodeSockets({ urls: [subscriptions.url], ...limits }, logger),
      GATEWAY_WS_PORT: undefined,
      UPSTREAM_RPC_PASSTHROUGH: parseForwardedMethods('default'),
      rateLimit: { points: 2_000, windowSeconds: 10 },
    });
    rpc = createRpc(`http://127.0.0.1:${gateway.port}`);
  });
  afterEach(async () => {
    await gateway.close();
    await subscriptions.close();
    await node.close();
  });

  it('send an airdrop, and confirm it by the notification of the node', async () => {
    node.fail({ kind: 'result', result: SIGNATURE }, { method: 'requestAirdrop' });
    node.fail({ kind: 'result', result: 1 }, { method: 'getBlockHeight', times: 1_000 });
    const unseen = { context: { slot: 1 }, value: [null] };
    node.fail({ kind: 'result', result: unseen }, { method: 'getSignatureStatuses', times: 1_000 });
    const signature = await rpc.requestAirdrop(Keypair.generate().publicKey, 1_000);
    const confirmed = rpc.confirmTransaction({ signature, blockhash: BLOCKHASH, lastValidBlockHeight: 150 });
    const call = await subscriptions.waitForCall('signatureSubscribe');
    expect(call.params[0]).toBe(SIGNATURE);
    const left = once(call.socket, 'close');
    subscriptions.notify(call, { context: { slot: 9 }, value: { err: null } });
    expect(await confirmed).toEqual({ context: { slot: 9 }, value: { err: null } });
    // web3.js closes its connection when it has no more subscriptions.
    await left;
  });

  it('subscribe again when the node has closed its connection', async () => {
    const slots: number[] = [];
    const id = rpc.onSlotChange(({ slot }) => slots.push(slot));
    (await subscriptions.waitForCall('slotSubscribe')).socket.terminate();
    const call = await subscriptions.waitForCall('slotSubscribe', 2);
    subscriptions.notify(call, { slot: 7, parent: 6, root: 0 });
    await until(() => slots.length > 0);
    expect(slots).toEqual([7]);
    await rpc.removeSlotChangeListener(id);
    await until(() => subscriptions.sockets.length === 0);
  });
});
