import { useState } from 'react';
import { linkTo, navigate } from '../routes';
import { recognize } from '../values/bytes';

/** One box for everything. What it recognizes by its form is opened at once; a key is looked up by the search view. */
export function SearchBox({ text }: { text: string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const search = (form: FormData) => {
    const value = form.get('q');
    const query = recognize(typeof value === 'string' ? value : '');
    setProblem(query.kind === 'invalid' ? query.reason : null);
    if (query.kind === 'signature') navigate(linkTo('tx', query.signature));
    if (query.kind === 'slot') navigate(linkTo('slot', String(query.slot)));
    if (query.kind === 'key') navigate(linkTo('search', '', { q: query.key }));
  };
  return (
    <form
      role="search"
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(new FormData(event.currentTarget));
      }}
    >
      <fieldset role="group">
        <input
          type="search"
          name="q"
          aria-label="Search"
          aria-describedby="search-problem"
          aria-invalid={problem ? true : undefined}
          placeholder="Signature, hash, address, owner, mint, tree or slot"
          autoComplete="off"
          spellCheck={false}
          defaultValue={text}
        />
        <button type="submit">Search</button>
      </fieldset>
      <p id="search-problem" className="problem" aria-live="polite">
        {problem}
      </p>
    </form>
  );
}
