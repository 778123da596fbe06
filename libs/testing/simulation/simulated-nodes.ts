import { type GeneratedBlock } from '@fresnel/ledger-generator';
import { toBase58 } from '@fresnel/domain/primitives';
import {
  BLOCK_CLEANED_UP,
  BLOCK_NOT_AVAILABLE,
  FakeNode,
  LONG_TERM_SLOT_SKIPPED,
  SLOT_SKIPPED,
} from '@fresnel/testing/chain';
import { sleep } from '@fresnel/platform/time';
import { type SimulatedChain } from './simulated-chain';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';

/** Blocks between the newest one and the finalized one, as long as the node has no orphaned block. */
const FINALIZED_DEPTH = 4;
const SLOT_MS = 400;
/** The blocks after the contested ones only show that the index goes on. */
const BLOCKS_WHEN_HEALED = 5;
const WRONG_CODES = [SLOT_SKIPPED, LONG_TERM_SLOT_SKIPPED, BLOCK_CLEANED_UP, BLOCK_NOT_AVAILABLE, -32005];
/** Requests that a wrong answer applies to. */
const WRONG_TIMES = [1, 1, 2, 5, 20];

const FAULTS: OperationFaults = { lostReply: 0.01, notSent: 0.01, error: () => new TypeError('fetch failed') };

interface NodeRequest {
  id: unknown;
  method: string;
  params: unknown[];
}

/** One node: the branch that it has now, and a fake that answers for it. */
class SimulatedNode {
  readonly fake = FakeNode.detached();
  /** The number of canonical blocks that it has. */
  private reached = 0;
  /** The orphaned branch that it has after them, and how many blocks of it. */
  private branch: { blocks: readonly GeneratedBlock[]; shown: number } | null = null;
  /** Whether its next finalized block has a false parent. */
  private givesFalseParent = false;
  private isOffline = false;
  private isHealed = false;

  constructor(private readonly chain: SimulatedChain) {
    this.advance(1);
  }

  get isAtTip(): boolean {
    return this.reached === this.chain.canonical.length && this.branch === null;
  }

  /** Adds the next block of its branch; at the end of an orphaned one, returns to the chain. */
  grow(): void {
    if (!this.branch) this.advance(this.isHealed ? BLOCKS_WHEN_HEALED : 1);
    else if (this.branch.shown < this.branch.blocks.length) this.show(this.branch.shown + 1);
    else this.leaveBranch();
  }

  /** Has an orphaned branch from now on, if one starts here. */
  enterBranch(): boolean {
    const branch = this.chain.orphaned.find(({ after }) => after === this.reached);
    if (!branch || this.branch) return false;
    this.branch = { blocks: branch.blocks, shown: 0 };
    this.show(1);
    return true;
  }

  leaveBranch(): void {
    if (!this.branch) return;
    this.branch = null;
    const { slot } = this.chain.canonical[this.reached - 1];
    this.fake.switchBranch(slot, []);
    this.advance(1);
  }

  heal(): void {
    this.isHealed = true;
    this.fake.heal();
    this.givesFalseParent = false;
    this.isOffline = false;
    this.leaveBranch();
  }

  /** @param code of an error; null: the answer is null */
  lie(code: number | null, slot: number | null, times: number): void {
    const fault = code === null ? { kind: 'result' as const, result: null } : { kind: 'error' as const, code };
    this.fake.fail(fault, { method: 'getBlock', slot, times });
  }

  giveFalseParent(): void {
    this.givesFalseParent = true;
  }

  setOffline(isOffline: boolean): void {
    this.isOffline = isOffline;
  }

  get slots(): number[] {
    return this.chain.canonical.slice(0, this.reached).map(({ slot }) => slot);
  }

  answer(body: string): Response {
    if (this.isOffline) return responseOf('bad gateway', 502);
    const request = JSON.parse(body) as NodeRequest;
    const text = this.fake.answerPlanned(request);
    return responseOf(this.falsified(request, text) ?? text, 200);
  }

  /** A finalized block that names its grandparent as its parent, once; null: the answer is right. */
  private falsified({ id, method, params: [slot, config] }: NodeRequest, text: string): string | null {
    if (!this.givesFalseParent || method !== 'getBlock') return null;
    const { parsed } = this.chain;
    const at = parsed.findIndex((block) => block.slot === slot);
    const { result } = JSON.parse(text) as { result?: object };
    if ((config as { commitment: string }).commitment !== 'finalized' || at < 1 || !result) return null;
    this.givesFalseParent = false;
    const { parentSlot, parentBlockhash } = parsed[at - 1];
    const header = { ...result, parentSlot, previousBlockhash: toBase58(parentBlockhash) };
    return JSON.stringify({ jsonrpc: '2.0', id, result: header });
  }

  private advance(count: number): void {
    const { canonical, contested } = this.chain;
    const limit = this.isHealed ? canonical.length : contested;
    const blocks = canonical.slice(this.reached, Math.min(this.reached + count, limit));
    this.reached += blocks.length;
    this.fake.add(blocks.map(toFake));
    this.finalize();
  }

  private show(count: number): void {
    if (!this.branch) return;
    const { slot } = this.chain.canonical[this.reached - 1];
    this.branch.shown = count;
    this.fake.switchBranch(slot, this.branch.blocks.slice(0, count).map(toFake));
    this.finalize();
  }

  /** An orphaned block is never finalized. */
  private finalize(): void {
    const { canonical } = this.chain;
    const isComplete = this.reached === canonical.length;
    const depth = this.branch || !isComplete ? FINALIZED_DEPTH : 0;
    const finalized = canonical[Math.max(this.reached - 1 - depth, 0)].slot;
    this.fake.finalizedLag = this.fake.tip - finalized;
  }
}

const NO_HEADERS = new Headers();

/** What a client reads of a response. To create and read a real one takes longer than all else of a request. */
function responseOf(text: string, status: number): Response {
  async function* read() {
    yield await Promise.resolve(Buffer.from(text));
  }
  const body: AsyncIterable<Uint8Array> & Pick<ReadableStream, 'cancel'> = Object.assign(read(), {
    cancel: () => Promise.resolve(),
  });
  return { ok: status === 200, status, headers: NO_HEADERS, body } as Response;
}

function toFake({ slot, json }: GeneratedBlock): { slot: number; json: string } {
  return { slot, json };
}

/** Nodes of one chain that grow at their own pace, lag, disagree and answer wrongly. They replace `fetch`. */
export class SimulatedNodes {
  private readonly nodes: SimulatedNode[];
  private readonly fetch = globalThis.fetch;

  constructor(
    private readonly scheduler: Scheduler,
    chain: SimulatedChain,
    count: number,
  ) {
    this.nodes = Array.from({ length: count }, () => new SimulatedNode(chain));
    globalThis.fetch = (url, init) => this.request(url, init);
    // The pace of the chain is that of the scheduler, so that a slow consumer is as likely as a fast one.
    this.nodes.forEach((node, at) => {
      scheduler.spawn(`chain ${at + 1}`, () => {
        void this.follow(node, at + 1);
      });
    });
  }

  /** One of the nodes gives a finalized block with a false parent, once. It is no evidence, which has to be given twice. */
  giveFalseParent(): void {
    this.scheduler.random.pick(this.nodes).giveFalseParent();
  }

  /** @param at from 1 */
  urlOf(at: number): string {
    return `http://node-${at}/`;
  }

  get areAtTip(): boolean {
    return this.nodes.every(({ isAtTip }) => isAtTip);
  }

  get faults(): Fault[] {
    const { scheduler, nodes } = this;
    const one = () => {
      const at = scheduler.pickForFault(nodes.map((_, index) => index));
      return { node: nodes[at], name: `node ${at + 1}` };
    };
    return [
      {
        name: 'branch',
        probability: 0.08,
        happen: () => {
          const { node, name } = one();
          return node.enterBranch() ? `${name} has an orphaned branch` : null;
        },
      },
      {
        name: 'wrong answers',
        probability: 0.03,
        happen: () => {
          const { node, name } = one();
          const [code, times] = [scheduler.pickForFault(WRONG_CODES), scheduler.pickForFault(WRONG_TIMES)];
          const slot = scheduler.pickForFault([null, ...node.slots.slice(-12)]);
          node.lie(code, slot, times);
          return `${name} answers ${code} for ${slot ?? 'any slot'}, ${times} times`;
        },
      },
      {
        name: 'offline',
        probability: 0.008,
        happen: () => {
          const { node, name } = one();
          node.setOffline(true);
          return `${name} is offline`;
        },
      },
      {
        name: 'online',
        probability: 0.05,
        happen: () => {
          for (const node of nodes) node.setOffline(false);
          return null;
        },
      },
    ];
  }

  /** All nodes say once that a slot was skipped. @returns the slot; null if there is none @param among selects from all slots */
  lieAbout(among: (slots: number[]) => number[]): number | null {
    const slots = among(this.nodes[0].slots);
    if (slots.length === 0) return null;
    const slot = this.scheduler.pickForFault(slots);
    const code = this.scheduler.pickForFault([SLOT_SKIPPED, LONG_TERM_SLOT_SKIPPED, null]);
    for (const node of this.nodes) node.lie(code, slot, 1);
    return slot;
  }

  /** Ends all faults. */
  heal(): void {
    for (const node of this.nodes) node.heal();
  }

  close(): void {
    globalThis.fetch = this.fetch;
  }

  private async follow(node: SimulatedNode, at: number): Promise<void> {
    while (!node.isAtTip) {
      await this.scheduler.operation(`node ${at}`, 'next block', () => {
        node.grow();
      });
      await sleep(SLOT_MS);
    }
  }

  private async request(input: unknown, init: RequestInit | undefined): Promise<Response> {
    const at = Number(/node-(\d+)/.exec(String(input))?.[1]);
    const body = init?.body as string;
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    const name = `${method} ${params.filter((param) => typeof param === 'number').join(' ')}`;
    return this.scheduler.operation(`node ${at}`, name, () => this.nodes[at - 1].answer(body), FAULTS);
  }
}
