import { useEffect, useRef } from 'react';
import { SearchBox } from './parts/search-box';
import { ThemeSwitch } from './parts/theme-switch';
import { linkTo, type Route, useRoute } from './routes';
import { AccountView } from './views/account';
import { ConnectView } from './views/connect';
import { HomeView } from './views/home';
import { MintView } from './views/mint';
import { OperatorsView } from './views/operators';
import { OwnerView } from './views/owner';
import { SearchView } from './views/search';
import { SlotView } from './views/slot';
import { TransactionView } from './views/transaction';
import { TreeView } from './views/tree';
import { recognize } from './values/bytes';

const VIEWS: Record<string, { title: string; View: (props: { route: Route }) => React.ReactNode }> = {
  '': { title: 'Compressed accounts on Solana', View: HomeView },
  search: { title: 'Search', View: SearchView },
  tx: { title: 'Transaction', View: TransactionView },
  account: { title: 'Compressed account', View: AccountView },
  owner: { title: 'Owner', View: OwnerView },
  mint: { title: 'Mint', View: MintView },
  tree: { title: 'Tree', View: TreeView },
  slot: { title: 'Slot', View: SlotView },
  connect: { title: 'Connect', View: ConnectView },
  operators: { title: 'For operators', View: OperatorsView },
};

const NOT_FOUND = {
  title: 'Not found',
  View: () => (
    <p role="alert">
      This page does not exist. <a href={linkTo('')}>Go to the home page.</a>
    </p>
  ),
};

/** What the subject of a view must be, by its form. */
const SUBJECTS = new Map([
  ['tx', 'signature'],
  ...['account', 'owner', 'mint', 'tree'].map((view): [string, string] => [view, 'key']),
]);

function isWrong({ view, subject }: Route): boolean {
  const kind = SUBJECTS.get(view);
  return kind !== undefined && recognize(subject).kind !== kind;
}

function WrongSubject({ route: { view } }: { route: Route }) {
  const wanted =
    SUBJECTS.get(view) === 'signature' ? 'signature, which has 64 bytes' : 'key or hash, which has 32 bytes';
  return <p role="alert">This link names no {wanted} in base58. Part of it may be missing.</p>;
}

/** The frame of all views. A new view gets the focus, so that screen readers read its title. */
export function App() {
  const route = useRoute();
  const { title, View } = VIEWS[route.view] ?? NOT_FOUND;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(`${route.view}/${route.subject}`);
  useEffect(() => {
    document.title = `${title}${route.subject && ` ${route.subject}`} – Fresnel`;
    const place = `${route.view}/${route.subject}`;
    if (place === shown.current) return;
    shown.current = place;
    heading.current?.focus();
    scrollTo(0, 0);
  }, [title, route.view, route.subject]);
  return (
    <>
      <a className="skip" href="#main" onClick={(event) => (event.preventDefault(), heading.current?.focus())}>
        Skip to content
      </a>
      <header className="container">
        <nav aria-label="Main">
          <ul>
            <li>
              <a className="brand" href={linkTo('')}>
                Fresnel
              </a>
            </li>
          </ul>
          <ul>
            <li>
              <a href={linkTo('connect')}>Connect</a>
            </li>
            <li>
              <a href={linkTo('operators')}>Operators</a>
            </li>
            <li>
              <a href="docs">API</a>
            </li>
            <li>
              <ThemeSwitch />
            </li>
          </ul>
        </nav>
        <SearchBox key={route.options.get('q')} text={route.options.get('q') ?? ''} />
      </header>
      <main className="container" id="main">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isWrong(route) ? (
          <WrongSubject route={route} />
        ) : (
          <View key={`${route.view}/${route.subject}`} route={route} />
        )}
      </main>
      <footer className="container">
        <small>Served by this index alone: this page sends nothing to anybody else.</small>
      </footer>
    </>
  );
}
