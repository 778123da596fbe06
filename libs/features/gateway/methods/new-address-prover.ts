import { AddressExistsError, TreeNotServableError } from '@fresnel/adapters/prover-client';
import { findProofSlots, Reader } from '@fresnel/adapters/store-read';
import { type AddressWithTree, NewAddressProofItem } from '@fresnel/contracts/rpc';
import { isZero } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { presentNewAddressProofs } from '../present/new-address-proof.presenter';
import { compileListSerializer, contextText } from '../responses/list-text';
import { type JsonText } from '../responses/response-text';
import { groupByTree } from './group-by-tree';
import { ProverOnBranch } from './prover-on-branch';
import { type CallContext } from './rpc-method';

/** A proof, and the slot at which it is true. */
interface Proved {
  present: () => NewAddressProofItem;
  slot: number;
}

/** A request of one address. */
type Single = AddressWithTree & CallContext;

/** Limits what a request waits for because of others. */
const SINGLES_AT_ONCE = 100;

/** Answers both methods for new-address proofs: one request to the prover for each tree. */
@Injectable()
export class NewAddressProver {
  private readonly toItemsJson = compileListSerializer(NewAddressProofItem);

  /**
   * Requests of one address that arrive in one turn of the event loop are proved together: for a single one, the statement, the call and
   * the read of the tree cost nearly what they cost for many.
   */
  private readonly singles = new DataLoader((requests: readonly Single[]) => this.proveSingles(requests), {
    cache: false,
    maxBatchSize: SINGLES_AT_ONCE,
    batchScheduleFn: setImmediate,
  });

  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
  ) {}

  /**
   * Proofs in the order of the request. Asks the prover for trees with all changes up to the indexed slot, so that proofs
   * include everything that other methods show.
   *
   * @returns the result as JSON text; `context.slot` is the lowest slot of the trees involved, and not below the indexed slot
   */
  async prove(requests: readonly AddressWithTree[], context?: CallContext): Promise<JsonText> {
    // Address 0 is the initial element of every tree.
    const zero = requests.find(({ address }) => isZero(address));
    if (zero) throw new AddressExistsError(zero.address);
    const proved =
      requests.length === 1
        ? [await this.singles.load({ ...requests[0], ...context })]
        : await this.proveAll(requests, context);
    const items = proved.map(({ present }) => present);
    return contextText(
      Math.min(...proved.map(({ slot }) => slot)),
      await this.toItemsJson(items, (present) => present()),
    );
  }

  private async proveAll(requests: readonly AddressWithTree[], context?: CallContext): Promise<Proved[]> {
    const slots = await findProofSlots(this.reader);
    const proved: Proved[] = [];
    const groups = groupByTree(requests.map((request, position) => ({ ...request, position })));
    const proving = groups.map(async ({ tree, items }) => {
      const addresses = items.map(({ address }) => address);
      const proofs = await this.prover.proveNewAddresses(tree, addresses, slots, context);
      for (const [at, present] of presentNewAddressProofs(tree, proofs).entries())
        proved[items[at].position] = { present, slot: proofs.slot };
    });
    await Promise.all(proving);
    return proved;
  }

  private async proveSingles(requests: readonly Single[]): Promise<(Proved | Error)[]> {
    const outcomes: (Proved | Error)[] = [];
    const groups = groupByTree(requests.map((request, position) => ({ ...request, position })));
    const proving = groups.map(async ({ items }) => {
      for (const [at, outcome] of (await this.proveOfTree(items)).entries()) outcomes[items[at].position] = outcome;
    });
    await Promise.all(proving);
    return outcomes;
  }

  /** Proves requests of one tree. One address that cannot be proved fails a call of many: then each has a call of its own. */
  private async proveOfTree(requests: readonly Single[]): Promise<(Proved | Error)[]> {
    const requestId = requests.map((request) => request.requestId).join();
    try {
      return await this.proveAll(requests, { requestId });
    } catch (error) {
      const isOfOne = error instanceof AddressExistsError || error instanceof TreeNotServableError;
      if (requests.length === 1 || !isOfOne) return requests.map(() => error as Error);
      return (await Promise.all(requests.map((request) => this.proveOfTree([request])))).flat();
    }
  }
}
