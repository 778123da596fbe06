import { isDeepStrictEqual } from 'node:util';
import { type ProverClient } from '@fresnel/adapters/prover-client';
import { blockKey, type BlockRef } from '@fresnel/domain/chain';
import { be32, toBase58 } from '@fresnel/domain/primitives';
import { type GeneratedBlock, generatedTrees, LedgerOracle } from '@fresnel/ledger-generator';
import { type Timer, type TimeSource, useTime } from '@fresnel/platform/time';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { toExactForm } from '@fresnel/testing/generic';
import {
  askQuestions,
  checkAgainstOracle,
  type ContextCall,
  listContextCalls,
  sendQuestions,
} from '@fresnel/testing/ledger';
import { type SeededRandom } from './random';
import { type SimulatedChain } from './simulated-chain';

/** Questions of one check about accounts, signatures and balances. */
const QUESTIONS = 8;
const PROOFS = 'getMultipleNewAddressProofsV2';
const FRESH = [1n, 2n].map((third) => toBase58(be32((third * (2n ** 248n - 1n)) / 3n)));
const ADDRESS_TREES = generatedTrees().filter(({ type }) => type === 'addressV1' || type === 'addressV2');

/** One branch of a chain, with what can be asked about it. */
interface Path {
  blocks: readonly GeneratedBlock[];
  keys: readonly string[];
  /** Knows all blocks: what can be asked about. */
  subjects: LedgerOracle;
  calls: readonly ContextCall[];
  /** Oracles as of a number of blocks, made when they are needed. */
  oracles: Map<number, LedgerOracle>;
}

/** A gateway on the real stores, and the oracle that knows what it may answer on each branch. */
export class GatewayAnswers {
  private readonly paths = new Map<SimulatedChain, readonly Path[]>();

  private constructor(private readonly gateway: TestGateway) {}

  static async start(databaseUrl: string, prover: ProverClient): Promise<GatewayAnswers> {
    return new GatewayAnswers(await startTestGateway({ databaseUrl, prover }));
  }

  close(): Promise<void> {
    return this.gateway.close();
  }

  /**
   * Asks a few questions, all of which the indexed block decides, and for proofs, which may be as of a later block.
   *
   * @param tip the newest indexed block
   * @returns what is wrong; null if nothing is
   */
  findFalseAnswer(chain: SimulatedChain, tip: BlockRef, random: SeededRandom): Promise<string | null> {
    return withoutWaiting(async () => {
      const [canonical, ...others] = this.pathsOf(chain);
      const paths = [canonical, ...others].filter(({ keys }) => keys.includes(blockKey(tip)));
      if (paths.length === 0) return `block ${tip.slot} of the index is on no branch`;
      const [path] = paths;
      const oracle = oracleAfter(path, path.keys.indexOf(blockKey(tip)) + 1);
      const questions = Array.from({ length: QUESTIONS }, () => {
        const { method, params, answerOf } = random.pick(path.calls);
        return { method, params, expected: answerOf(oracle) };
      });
      const { differences } = await askQuestions(this.gateway.url, questions);
      if (differences.length > 0) return `after block ${tip.slot}: ${describe(differences[0])}`;
      return this.findFalseProof([canonical, ...paths], tip);
    });
  }

  /** Asks all questions, after the whole chain. */
  findDifference(chain: SimulatedChain): Promise<string | null> {
    return withoutWaiting(async () => {
      const [path] = this.pathsOf(chain);
      const { differences } = await checkAgainstOracle(this.gateway.url, oracleAfter(path, path.blocks.length));
      return differences.length > 0 ? `${differences.length} answers differ: ${describe(differences[0])}` : null;
    });
  }

  /**
   * A refused proof is not false. One that is served was right after the block of its slot: on a branch through the indexed block, or on
   * the chain, if the index is on a branch that will be reverted.
   */
  private async findFalseProof(paths: readonly Path[], tip: BlockRef): Promise<string | null> {
    const questions = ADDRESS_TREES.map(({ tree }) => ({
      method: PROOFS,
      params: FRESH.map((address) => ({ address, tree: toBase58(tree) })),
    }));
    const answers = await sendQuestions(this.gateway.url, questions);
    for (const [at, answer] of answers.entries()) {
      if (answer && typeof answer === 'object' && 'code' in answer) continue;
      const { params } = questions[at];
      const { slot } = (answer as { context: { slot: number } }).context;
      const isRight = paths.some((path) => {
        const count = path.blocks.findLastIndex((block) => block.slot <= slot) + 1;
        if (count <= path.keys.indexOf(blockKey(tip))) return false;
        const expected = oracleAfter(path, count).getMultipleNewAddressProofsV2(params);
        return expected.outcome === 'proofs' && isDeepStrictEqual(valueOf(toExactForm(expected)), valueOf(answer));
      });
      if (!isRight)
        return `after block ${tip.slot}: a false proof as of slot ${slot}: ${describe({ question: params[0].tree, answer })}`;
    }
    return null;
  }

  private pathsOf(chain: SimulatedChain): readonly Path[] {
    const known = this.paths.get(chain);
    if (known) return known;
    const { canonical, parsed, orphaned } = chain;
    const paths = [
      pathOf(canonical, parsed),
      ...orphaned.map((branch) =>
        pathOf(
          [...canonical.slice(0, branch.after), ...branch.blocks],
          [...parsed.slice(0, branch.after), ...branch.parsed],
        ),
      ),
    ];
    this.paths.set(chain, paths);
    return paths;
  }
}

function pathOf(blocks: readonly GeneratedBlock[], refs: readonly BlockRef[]): Path {
  const subjects = new LedgerOracle();
  for (const block of blocks) subjects.apply(block);
  const calls = listContextCalls(subjects).filter(({ method }) => method !== PROOFS);
  return { blocks, keys: refs.map(blockKey), subjects, calls, oracles: new Map() };
}

function oracleAfter({ blocks, oracles }: Path, count: number): LedgerOracle {
  const known = oracles.get(count);
  if (known) return known;
  const oracle = new LedgerOracle();
  for (const block of blocks.slice(0, count)) oracle.apply(block);
  oracles.set(count, oracle);
  return oracle;
}

function valueOf(answer: unknown): unknown {
  return (answer as { value: unknown }).value;
}

const SHOWN_CHARACTERS = 300;

function describe({ question, answer, oracle }: { question: string; answer: unknown; oracle?: unknown }): string {
  const [given, right] = [answer, oracle].map((value) =>
    (JSON.stringify(value) as string | undefined)?.slice(0, SHOWN_CHARACTERS),
  );
  return `${question} is ${given ?? 'nothing'}${right === undefined ? '' : `, and should be ${right}`}`;
}

/** Short waits end at the next turn of the event loop, and deadlines of requests never: a check is not part of the simulated time. */
const DEADLINE_MS = 10_000;

class ImpatientTime implements TimeSource {
  private ms = 0;
  now = () => this.ms;
  wallClock = () => this.ms;

  after(ms: number, call: () => void): Timer {
    if (ms >= DEADLINE_MS) return { cancel: () => undefined, unref: () => undefined };
    const planned = setImmediate(() => {
      this.ms += ms;
      call();
    });
    return {
      cancel: () => {
        clearImmediate(planned);
      },
      unref: () => undefined,
    };
  }
}

async function withoutWaiting<Result>(ask: () => Promise<Result>): Promise<Result> {
  const restore = useTime(new ImpatientTime());
  try {
    return await ask();
  } finally {
    restore();
  }
}
