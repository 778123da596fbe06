import { type UseQueryResult } from '@tanstack/react-query';
import { RpcError } from '@fresnel/client';

/** What a query has found, or that it is loading, has failed or has found nothing. */
export function Loaded<T>({
  query,
  children,
  empty = 'This index has nothing here.',
  isEmpty,
}: {
  query: UseQueryResult<T>;
  children: (data: NonNullable<T>) => React.ReactNode;
  /** What to say if there is nothing. */
  empty?: React.ReactNode;
  isEmpty?: (data: NonNullable<T>) => boolean;
}) {
  const { data, error, isPending } = query;
  if (isPending) return <p aria-busy="true">Loading…</p>;
  if (error && data === undefined) return <Failure error={error} retry={() => void query.refetch()} />;
  if (data === undefined || data === null || isEmpty?.(data)) return <p className="empty">{empty}</p>;
  return (
    <>
      {error && <Failure error={error} retry={() => void query.refetch()} />}
      {children(data)}
    </>
  );
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <p role="alert" className="problem">
      {explain(error)}{' '}
      {retry && (
        <button type="button" className="copy secondary outline" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}

function explain(error: Error): string {
  if (!(error instanceof RpcError)) return error.message;
  switch (error.code) {
    case -32005:
      return `Too many requests: this server limits each client. Try again in ${error.retryAfterSeconds ?? 'some'} seconds.`;
    case -32602:
      return `The server does not understand this: ${error.message}`;
    case -32603:
      return 'The server cannot answer at the moment.';
    case null:
    default:
      return error.message;
  }
}
