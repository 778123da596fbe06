import { messageOf } from '@fresnel/domain/primitives';
import {
  type CircuitSet,
  compressProof,
  type CompressedProof,
  InvalidProofError,
} from '@fresnel/domain/trees/validity-proofs';
import { type Endpoint, inSpan, readBody, toEndpoint, Turns } from '@fresnel/platform';
import { now, timeout } from '@fresnel/platform/time';
import { readProveResponse, writeProveRequest } from './prove-request';
import {
  type ProofInputs,
  ProofRejectedError,
  type ValidityProver,
  ValidityProverUnavailableError,
} from './validity-prover';

export interface HttpValidityProverOptions {
  /** At least one. Requests are distributed over them. */
  urls: readonly string[];
  apiKey: string | null;
  circuits: CircuitSet;
  /** Time limit of a proof, including the time that it waits for its turn. */
  timeoutMs: number;
  /** Proofs that are computed at once. */
  concurrency: number;
  /** Called after each attempt. */
  onAttempt: (outcome: ProofOutcome, seconds: number) => void;
}

export type ProofOutcome = 'ok' | 'rejected' | 'unavailable';

/** Attempts of a proof. A prover that is away is not asked again. */
const ATTEMPTS = 2;
/** Many times a proof, or the reason for none. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Light Protocol's prover over HTTP. */
export class HttpValidityProver implements ValidityProver {
  readonly circuits: CircuitSet;
  private readonly endpoints: readonly Endpoint[];
  private readonly turns: Turns;
  private next = 0;

  constructor(private readonly options: HttpValidityProverOptions) {
    this.circuits = options.circuits;
    this.endpoints = options.urls.map((url) => toEndpoint(url, 'prove'));
    this.turns = new Turns(options.concurrency);
  }

  async prove(inputs: ProofInputs): Promise<CompressedProof> {
    const body = JSON.stringify(writeProveRequest(inputs));
    const signal = timeout(this.options.timeoutMs);
    try {
      return await this.turns.run(() => this.tryEach(body, signal), signal);
    } catch (error) {
      if (signal.aborted) throw new ValidityProverUnavailableError('no validity proof in time', { cause: error });
      throw error;
    }
  }

  private async tryEach(body: string, signal: AbortSignal): Promise<CompressedProof> {
    for (let attempt = 1; ; attempt++) {
      const endpoint = this.endpoints[this.next++ % this.endpoints.length];
      try {
        return await inSpan('prove', { kind: 'client' }, () =>
          this.measure(() => this.attempt(endpoint, body, signal)),
        );
      } catch (error) {
        if (!(error instanceof ValidityProverUnavailableError) || attempt >= ATTEMPTS || signal.aborted) throw error;
      }
    }
  }

  private async attempt(endpoint: Endpoint, body: string, signal: AbortSignal): Promise<CompressedProof> {
    const { status, text } = await this.post(endpoint, body, signal);
    if (status >= 500 || status === 408 || status === 429) {
      throw new ValidityProverUnavailableError(`the validity prover answered with status ${status}`);
    }
    if (status !== 200)
      throw new ProofRejectedError(`the validity prover answered with status ${status}: ${shorten(text)}`);
    try {
      return compressProof(readProveResponse(text));
    } catch (error) {
      if (!(error instanceof InvalidProofError)) throw error;
      throw new ValidityProverUnavailableError(`the validity prover sent no proof: ${error.message}`, { cause: error });
    }
  }

  private async post(
    { url, headers: login }: Endpoint,
    body: string,
    signal: AbortSignal,
  ): Promise<{ status: number; text: string }> {
    const { apiKey } = this.options;
    const authorization = apiKey === null ? login : { authorization: `Bearer ${apiKey}` };
    try {
      const headers = { 'content-type': 'application/json', ...authorization };
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      const parts: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const part of readBody(response, signal)) {
        sizeBytes += part.length;
        if (sizeBytes > MAX_RESPONSE_BYTES) throw tooLarge();
        parts.push(part);
      }
      return { status: response.status, text: Buffer.concat(parts).toString() };
    } catch (error) {
      if (error instanceof ValidityProverUnavailableError) throw error;
      throw new ValidityProverUnavailableError(`the validity prover cannot be reached: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  private async measure<Value>(attempt: () => Promise<Value>): Promise<Value> {
    const startedAt = now();
    let outcome: ProofOutcome = 'ok';
    try {
      return await attempt();
    } catch (error) {
      outcome = error instanceof ProofRejectedError ? 'rejected' : 'unavailable';
      throw error;
    } finally {
      this.options.onAttempt(outcome, (now() - startedAt) / 1000);
    }
  }
}

function tooLarge(): ValidityProverUnavailableError {
  return new ValidityProverUnavailableError(
    `the validity prover sent more than ${MAX_RESPONSE_BYTES} bytes, which is no proof: check VALIDITY_PROVER_URL`,
  );
}

const SHOWN_CHARACTERS = 200;

function shorten(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS);
}
