import { type TokenHolder } from '@fresnel/client';
import { formatInteger, shorten } from '../values/format';

const MAX_BARS = 10;
/** Width of a whole bar. */
const WHOLE = 1_000n;

/** The balances of the first holders of a page as bars. The table below has the same numbers. */
export function HoldersChart({ holders }: { holders: readonly TokenHolder[] }) {
  const shown = holders.slice(0, MAX_BARS);
  const largest = shown.reduce((max, { balance }) => (balance > max ? balance : max), 1n);
  return (
    <div className="bars" role="img" aria-label="The largest balances of this page as bars">
      {shown.map(({ owner, balance }) => {
        // Thousandths are exact enough for pixels. What is not zero is visible.
        const width = Math.max(Number((balance * WHOLE) / largest), balance > 0n ? 3 : 0);
        return (
          <div key={owner} title={`${owner}: ${formatInteger(balance)}`}>
            <span className="key">{shorten(owner, 4)}</span>
            <svg viewBox={`0 0 ${WHOLE} 1`} preserveAspectRatio="none">
              <rect width={width} height={1} />
            </svg>
          </div>
        );
      })}
    </div>
  );
}
