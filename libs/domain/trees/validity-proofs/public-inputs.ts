import { type Hash, type Hasher } from '@fresnel/domain/primitives';

/** What a proof states: leaves are below roots of state trees, and addresses are not below roots of address trees. */
export interface PublicInputs {
  accounts: readonly { root: Hash; leaf: Hash }[];
  addresses: readonly { root: Hash; address: Hash }[];
}

/** The public input of the circuits of V2 trees. @param inputs at least one account or address */
export function hashPublicInputs({ accounts, addresses }: PublicInputs, hasher: Hasher): Hash {
  const chains: Hash[] = [];
  if (accounts.length > 0)
    chains.push(
      chainPairs(
        accounts.map(({ root, leaf }) => [root, leaf]),
        hasher,
      ),
    );
  if (addresses.length > 0)
    chains.push(
      chainPairs(
        addresses.map(({ root, address }) => [root, address]),
        hasher,
      ),
    );
  return chains.length === 1 ? chains[0] : hasher(chains);
}

/** H(first pair), and then H(chain, pair) for each further pair. */
function chainPairs([first, ...rest]: readonly (readonly [Hash, Hash])[], hasher: Hasher): Hash {
  return rest.reduce((chain, pair) => hasher([chain, ...pair]), hasher(first));
}
