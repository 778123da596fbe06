import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Loaded } from '../parts/states';
import { getAccount, getAccountSignatures, getPage, getQueueInfo, getTreeStatus } from '../rpc/methods';
import { linkTo, redirect, type Route } from '../routes';
import { recognize } from '../values/bytes';

interface Match {
  view: string;
  description: string;
}

/** All that a key is in this index. */
async function findMatches(key: string): Promise<Match[]> {
  const has = async (method: Parameters<typeof getPage>[0], subject: Record<string, string>) =>
    (await getPage(method, subject, 1, null)).items.length > 0;
  const questions: [string, string, () => Promise<boolean>][] = [
    ['account', 'the hash of a compressed account', async () => (await getAccountSignatures(key)).length > 0],
    ['account', 'the address of an open compressed account', async () => (await getAccount({ address: key })) !== null],
    ['mint', 'the mint of a compressed token', () => has('getCompressedMintTokenHolders', { mint: key })],
    [
      'owner',
      'an owner',
      async () =>
        (await has('getCompressionSignaturesForTokenOwner', { owner: key })) ||
        (await has('getCompressionSignaturesForOwner', { owner: key })),
    ],
    ['tree', 'a tree', async () => Boolean(await getTreeStatus(key)) || (await getQueueInfo(key)).queues.length > 0],
  ];
  const answers = await Promise.all(questions.map(([, , ask]) => ask()));
  return questions.filter((_, index) => answers[index]).map(([view, description]) => ({ view, description }));
}

/** Looks a key up as everything that it can be, and opens the only thing that it is. */
export function SearchView({ route }: { route: Route }) {
  const key = route.options.get('q') ?? '';
  const isKey = recognize(key).kind === 'key';
  const query = useQuery({ queryKey: ['search', key], queryFn: () => findMatches(key), enabled: isKey });
  const only = query.data?.length === 1 ? query.data[0] : null;
  useEffect(() => {
    if (only) redirect(linkTo(only.view, key));
  }, [only, key]);
  if (!isKey) return <p>Enter a hash, address, owner, mint or tree above.</p>;
  return (
    <Loaded
      query={query}
      isEmpty={(matches) => matches.length === 0}
      empty="This is no hash, address, owner, mint or tree that this index knows. It may not be indexed yet, or may never have had compressed accounts."
    >
      {(matches) => (
        <ul>
          {matches.map(({ view, description }) => (
            <li key={description}>
              <a href={linkTo(view, key)}>{description}</a>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
