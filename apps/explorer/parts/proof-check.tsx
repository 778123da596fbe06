import { type AccountProofV2 } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { getChainAccountData, getProof } from '../rpc/methods';
import { containsHash, fromBase64 } from '../values/bytes';
import { formatInteger, shorten } from '../values/format';
import { hashPath } from '../values/proof';
import { Loaded } from './states';
import { Fields, Key } from './values';

/** Of state trees by type. A path of another length may lead from something else than a leaf. */
const HEIGHTS = new Map([
  [1, 26],
  [3, 32],
]);

/** The proof of an account, drawn from its leaf to the root, and checked by this browser. */
export function ProofCheck({ hash }: { hash: string }) {
  const query = useQuery({ queryKey: ['proof', hash], queryFn: () => getProof(hash) });
  return (
    <section aria-label="Proof">
      <h2>Proof</h2>
      <p>
        The chain stores only the root of each tree. The proof has the hashes beside the path from the account to the
        root. Each step hashes the one below together with the hash beside it, and the last result is the root. So
        whoever has the root can check that the account is in the tree, without having the others.
      </p>
      <Loaded query={query}>
        {(proof) => (proof.proveByIndex ? <Queued proof={proof} /> : <Path proof={proof} />)}
      </Loaded>
    </section>
  );
}

function Queued({ proof }: { proof: AccountProofV2 }) {
  return (
    <p>
      This account waits in the output queue of <Key text={proof.treeContext.tree} name="tree" view="tree" isShort />.
      Until it is appended, programs check it by its place in the queue (leaf {formatInteger(proof.leafIndex)}), without
      a path.
    </p>
  );
}

function Path({ proof }: { proof: AccountProofV2 }) {
  const check = useQuery({
    queryKey: ['path', proof.hash, proof.root],
    // Throws if the answer has a hash that is not base58: the query shows the error.
    queryFn: () => hashPath(proof),
    staleTime: Infinity,
  });
  return (
    <Loaded query={check}>
      {(steps) => {
        const isWhole = steps.at(-1)?.parent === proof.root && steps.length === HEIGHTS.get(proof.treeContext.treeType);
        return (
          <>
            <p role="status">
              {isWhole
                ? `✓ Checked in this browser: ${steps.length} hashes lead from the account to the root.`
                : '✗ The hashes do not lead to the root from the leaves of the tree: this proof is wrong.'}
            </p>
            <Fields
              fields={{
                Root: <Key text={proof.root} name="root" />,
                'Root sequence': formatInteger(proof.rootSeq),
                'Compared with the chain': <RootOnChain proof={proof} />,
              }}
            />
            <details open>
              <summary>The path, root first</summary>
              <ol className="path">
                {steps.toReversed().map(({ level, isSiblingLeft, sibling, parent }) => (
                  <li key={level}>
                    <span>{level + 1}</span>
                    <span className="side key">{shorten(parent, 8)}</span>
                    <span className="sibling key">
                      = hash of{' '}
                      {isSiblingLeft
                        ? `${shorten(sibling, 4)} and the one below`
                        : `the one below and ${shorten(sibling, 4)}`}
                    </span>
                  </li>
                ))}
                <li>
                  <span>0</span>
                  <span className="side key">{shorten(proof.hash, 8)}</span>
                  <span>this account</span>
                </li>
              </ol>
            </details>
          </>
        );
      }}
    </Loaded>
  );
}

/** Looks for the root in the account of the tree, which keeps its last roots. */
function RootOnChain({ proof }: { proof: AccountProofV2 }) {
  const { tree } = proof.treeContext;
  const query = useQuery({
    queryKey: ['root on chain', tree, proof.root],
    queryFn: async () => {
      const data = await getChainAccountData(tree);
      if (data === undefined) return 'No: this server forwards nothing to a Solana node (UPSTREAM_RPC_PASSTHROUGH).';
      if (data === null) return '✗ The node does not know the account of this tree.';
      return containsHash(fromBase64(data), proof.root)
        ? '✓ The account of the tree on the chain has this root.'
        : '✗ The account of the tree on the chain does not have this root. It keeps only the last roots.';
    },
    staleTime: Infinity,
  });
  return <Loaded query={query}>{(text) => <span role="status">{text}</span>}</Loaded>;
}
