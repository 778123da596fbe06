import { linkTo } from '../routes';

const STEPS: [string, string][] = [
  [
    'A transaction opens an account',
    'What the account contains is in the transaction, which everybody can read. Nobody pays rent for storage.',
  ],
  [
    'The chain keeps a fingerprint',
    'The hash of the account becomes a leaf of a Merkle tree. Pairs of hashes are hashed again, up to one root. The chain stores the root, however many accounts there are.',
  ],
  ['This index keeps the account', 'It reads all transactions, stores the accounts, and computes the same trees.'],
  [
    'A proof joins both',
    'To use an account, a program needs what it contains and the hashes beside its path to the root. The index gives them, and the chain compares the root.',
  ],
];

/** What compressed accounts are, for those who see them for the first time. @param example a signature to begin with */
export function HowItWorks({ example }: { example: string | null }) {
  return (
    <section className="how" aria-label="How it works">
      <h2>How it works</h2>
      <div>
        <ol>
          {STEPS.map(([title, text]) => (
            <li key={title}>
              <strong>{title}.</strong> {text}
            </li>
          ))}
        </ol>
        <TreeDrawing />
      </div>
      <p>
        {example !== null && (
          <>
            <a href={linkTo('tx', example)}>Open the newest transaction</a>, choose an account that it opened, and see
            how this browser checks its proof.{' '}
          </>
        )}
        <a href={linkTo('connect')}>Use this index from a program.</a>
      </p>
    </section>
  );
}

const LEVELS = 4;
const WIDTH = 300;
const ROW = 52;
const TOP = 22;
const RADIUS = 8;
/** The leaf whose path is drawn. */
const LEAF = 5;

interface Node {
  x: number;
  y: number;
  kind: string;
}

/** A node of the tree; level 0 is the root. */
function nodeAt(level: number, index: number): Node {
  const onPath = LEAF >> (LEVELS - 1 - level);
  const kind = index === onPath ? 'path' : index === (onPath ^ 1) ? 'sibling' : 'other';
  return { x: ((index + 0.5) * WIDTH) / 2 ** level, y: TOP + level * ROW, kind };
}

function TreeDrawing() {
  const nodes = Array.from({ length: LEVELS }, (_, level) =>
    Array.from({ length: 2 ** level }, (__, index) => nodeAt(level, index)),
  );
  const bottom = TOP + (LEVELS - 1) * ROW;
  const leaf = nodes[LEVELS - 1][LEAF];
  return (
    <svg
      className="tree"
      viewBox={`0 0 ${WIDTH} ${bottom + 34}`}
      role="img"
      aria-label="A tree of hashes: the path from one account up to the root, and the hash beside each step"
    >
      {nodes.slice(1).map((row, above) =>
        row.map(({ x, y, kind }, index) => {
          const parent = nodes[above][index >> 1];
          return <line key={x} x1={x} y1={y} x2={parent.x} y2={parent.y} className={kind} />;
        }),
      )}
      {nodes.flat().map(({ x, y, kind }) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r={RADIUS} className={kind} />
      ))}
      <text x={WIDTH / 2 + 16} y={TOP + 4}>
        root, on the chain
      </text>
      <text x={leaf.x} y={bottom + 28} textAnchor="middle">
        account
      </text>
      <text x={0} y={bottom + 28} className="sibling">
        ● proof
      </text>
    </svg>
  );
}
