import { useSyncExternalStore } from 'react';

/** A view and its subject, as in `#/tx/SIGNATURE?key=value`. */
export interface Route {
  view: string;
  subject: string;
  options: URLSearchParams;
}

/** Reads the part of a URL after `#`. */
export function parseRoute(hash: string): Route {
  const [path, query] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [view, subject = ''] = path.split('/', 2);
  return { view, subject: decode(subject), options: new URLSearchParams(query) };
}

/** A link to a view. Options that are null are left out. */
export function linkTo(view: string, subject = '', options: Record<string, string | null> = {}): string {
  const given = Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(given).toString();
  return `#/${view}${subject && `/${encodeURIComponent(subject)}`}${query && `?${query}`}`;
}

export function navigate(link: string): void {
  location.hash = link;
}

/** Goes to a view in place of this one, to which the Back button then does not return. */
export function redirect(link: string): void {
  location.replace(link);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(
    (changed) => {
      addEventListener('hashchange', changed);
      return () => {
        removeEventListener('hashchange', changed);
      };
    },
    () => location.hash,
  );
  return parseRoute(hash);
}

/** A malformed escape stays as it is: the view says that it finds nothing. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
