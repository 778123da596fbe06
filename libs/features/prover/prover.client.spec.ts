import { describeProverClientContract } from '@fresnel/adapters/prover-client/prover-client.contract';

describe('ProverService in the same process', () => {
  describeProverClientContract((prover) => Promise.resolve({ client: prover, close: () => Promise.resolve() }));
});
