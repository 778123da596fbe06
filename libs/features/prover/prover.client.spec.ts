import { describeProverClientContract } from '@fresnel/testing';

describe('ProverService in the same process', () => {
  describeProverClientContract((prover) => Promise.resolve({ client: prover, close: () => Promise.resolve() }));
});
