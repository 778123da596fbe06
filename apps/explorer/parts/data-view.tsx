import { useState } from 'react';
import { fromBase64, toHexLines, toText } from '../values/bytes';
import { formatInteger } from '../values/format';
import { Copy } from './values';

/** More is shown on request. */
const FIRST_BYTES = 2_048;

/** Bytes as hex and as text. They are data of strangers: nothing of them is interpreted. */
export function DataView({ base64, name }: { base64: string; name: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const bytes = fromBase64(base64);
  if (bytes.length === 0) return <>empty</>;
  const shown = isWhole ? bytes : bytes.subarray(0, FIRST_BYTES);
  return (
    <>
      <p>
        {formatInteger(bytes.length)} bytes <Copy text={base64} name={`${name} as base64`} />
        {shown.length < bytes.length && (
          <button
            type="button"
            className="copy secondary outline"
            onClick={() => {
              setIsWhole(true);
            }}
          >
            Show all, not only the first {formatInteger(FIRST_BYTES)}
          </button>
        )}
      </p>
      <p className="label">As hex: offset, bytes, and what is a letter</p>
      <pre className="data" tabIndex={0} aria-label={`${name} as hex`}>
        {toHexLines(shown)}
      </pre>
      <p className="label">As text: a dot for what is none</p>
      <pre className="data text" tabIndex={0} aria-label={`${name} as text`}>
        {toText(shown)}
      </pre>
    </>
  );
}
