import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { be32, messageOf } from '@fresnel/domain/primitives';
import { type ProofStatement } from '@fresnel/ledger-generator';
import { bn254 } from '@noble/curves/bn254.js';
import { type ProofBytes } from './groth16';
import { CHAIN_FLAGS, type G1Point, writeG1, writeG2 } from './points';
import { checkProveRequest } from './prove-request-check';
import { publicInputsOf } from './public-inputs';

const { G1, G2 } = bn254;

/**
 * Answers like a validity prover over HTTP, without circuits. It checks requests as circuits do. Its proofs verify with no key, but
 * each statement has its own.
 */
export class FakeValidityProver {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeValidityProver> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { status, answer } = prove(body);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeValidityProver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The proof of a statement, in a gateway's response. */
export function fakeProofOf(statement: ProofStatement): ProofBytes {
  return {
    a: [...writeG1(pointOf(statement).negate(), CHAIN_FLAGS)],
    b: [...writeG2(G2.Point.BASE, CHAIN_FLAGS)],
    c: [...writeG1(G1.Point.BASE, CHAIN_FLAGS)],
  };
}

function prove(body: string): { status: number; answer: object } {
  let statement: ProofStatement;
  try {
    statement = checkProveRequest(JSON.parse(body));
  } catch (error) {
    return { status: 400, answer: { code: 'proving_error', message: messageOf(error) } };
  }
  const { x, y } = G2.Point.BASE.toAffine();
  return {
    status: 200,
    answer: {
      ar: coordinatesOf(pointOf(statement)),
      bs: [
        [toHex(x.c1), toHex(x.c0)],
        [toHex(y.c1), toHex(y.c0)],
      ],
      krs: coordinatesOf(G1.Point.BASE),
    },
  };
}

/** A different point for each statement: the base point times a hash of the statement. */
function pointOf(statement: ProofStatement): G1Point {
  const hash = createHash('sha256');
  for (const input of publicInputsOf(statement)) hash.update(be32(input));
  return G1.Point.BASE.multiply(bn254.fields.Fr.create(BigInt(`0x${hash.digest('hex')}`)));
}

function coordinatesOf(point: G1Point): string[] {
  const { x, y } = point.toAffine();
  return [toHex(x), toHex(y)];
}

function toHex(coordinate: bigint): string {
  return `0x${be32(coordinate).toString('hex')}`;
}
