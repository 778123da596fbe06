import { useState } from 'react';
import { linkTo } from '../routes';
import { formatInteger, shorten } from '../values/format';
import { TERMS } from './terms';

const COPIED_MS = 1_500;

/** A button that copies a text. Its name says what it copies. Browsers copy only on localhost and over HTTPS. */
export function Copy({ text, name }: { text: string; name: string }) {
  const [isCopied, setIsCopied] = useState(false);
  if (!isSecureContext) return null;
  return (
    <button
      type="button"
      className="copy secondary outline"
      aria-label={`Copy ${name}`}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setIsCopied(true);
          setTimeout(() => {
            setIsCopied(false);
          }, COPIED_MS);
        });
      }}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}

interface KeyProps {
  text: string;
  /** What it is, for the copy button. */
  name: string;
  /** The view that shows it; none if it has no view. */
  view?: string;
  isShort?: boolean;
}

/** A key, hash or signature. */
export function Key({ text, name, view, isShort = false }: KeyProps) {
  const shown = isShort ? shorten(text) : text;
  return (
    <>
      {view ? (
        <a className="key" href={linkTo(view, text)} title={text}>
          {shown}
        </a>
      ) : (
        <span className="key" title={text}>
          {shown}
        </span>
      )}
      {!isShort && <Copy text={text} name={name} />}
    </>
  );
}

/** A time in the reader's zone. Hovering shows UTC. */
export function Time({ seconds }: { seconds: number }) {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return <>{seconds}</>;
  return (
    <time dateTime={date.toISOString()} title={`${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}>
      {date.toLocaleString()}
    </time>
  );
}

export function Slot({ slot }: { slot: number }) {
  return <a href={linkTo('slot', String(slot))}>{formatInteger(slot)}</a>;
}

/** Names with their values, and what the names mean. A value that is undefined is left out. */
export function Fields({ fields }: { fields: Record<string, React.ReactNode> }) {
  return (
    <dl className="fields">
      {Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .flatMap(([name, value]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name}>
            {value}
            {name in TERMS && <small className="term">{TERMS[name]}</small>}
          </dd>,
        ])}
    </dl>
  );
}
