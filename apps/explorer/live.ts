import { FresnelClient, type IndexerStatus, type SignatureItem } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Point } from './parts/live-plot';
import { RPC_URL } from './rpc/client';
import { getIndexerSlot, getIndexerStatus, getLatestSignatures } from './rpc/methods';

const POLL_MS = 2_000;
/** How many transactions are listed, and polled at once. */
const LISTED = 20;
const POINTS = 150;

export interface LiveIndex {
  slot: number | null;
  status: IndexerStatus | null;
  /** Newest first. */
  transactions: SignatureItem[];
  isPushed: boolean;
  error: Error | null;
  refetch: () => void;
  isPending: boolean;
  slots: Point[];
  lags: Point[];
  rates: Point[];
  latencies: Point[];
}

/** The state of the index, polled; the newest transactions by push if the server offers it. */
export function useLiveIndex(): LiveIndex {
  const [pushed, setPushed] = useState<SignatureItem[] | null>(null);
  useEffect(() => subscribe(setPushed), []);
  const query = useQuery({ queryKey: ['live'], queryFn: poll, refetchInterval: POLL_MS });
  const history = useRef<Sample[]>([]);
  const { data } = query;
  if (data && history.current.at(-1)?.at !== data.at) history.current = [...history.current.slice(1 - POINTS), data];
  const samples = history.current;
  const series = (valueOf: (sample: Sample, index: number) => number | null): Point[] =>
    samples.map((sample, index) => ({ at: sample.at, value: valueOf(sample, index) }));
  return {
    slot: data?.slot ?? null,
    status: data?.status ?? null,
    transactions: merge(pushed ?? [], data?.transactions ?? []),
    isPushed: pushed !== null,
    error: query.error,
    refetch: () => void query.refetch(),
    isPending: query.isPending,
    slots: series(({ slot }) => slot),
    lags: series(({ status }) => status?.lagSlots ?? null),
    rates: series((sample, index) => (index === 0 ? null : rateSince(samples[index - 1], sample))),
    latencies: series(({ latencyMs }) => latencyMs),
  };
}

interface Sample {
  /** Unix time in seconds. */
  at: number;
  slot: number;
  status: IndexerStatus | null;
  transactions: SignatureItem[];
  latencyMs: number;
}

async function poll(): Promise<Sample> {
  const startedAt = performance.now();
  const { items } = await getLatestSignatures(LISTED);
  const latencyMs = performance.now() - startedAt;
  const status = await getIndexerStatus();
  const slot = status?.slot ?? (await getIndexerSlot());
  return { at: Date.now() / 1_000, slot, status, transactions: items, latencyMs };
}

/** The newest of both lists. */
function merge(pushed: SignatureItem[], polled: SignatureItem[]): SignatureItem[] {
  const bySignature = new Map([...pushed, ...polled].map((item) => [item.signature, item]));
  return [...bySignature.values()].sort((one, other) => other.slot - one.slot).slice(0, LISTED);
}

/** Transactions a second since the sample before; if all that are polled are new, those of the page over the time that it spans. */
function rateSince(before: Sample, { at, transactions }: Sample): number {
  const known = new Set(before.transactions.map(({ signature }) => signature));
  const added = transactions.filter(({ signature }) => !known.has(signature)).length;
  const span = (transactions.at(0)?.blockTime ?? 0) - (transactions.at(-1)?.blockTime ?? 0);
  if (added === transactions.length && span > 0) return added / span;
  return added / Math.max(at - before.at, 0.001);
}

/** Keeps a list of the newest transactions. It stays null if the server has no subscriptions. @returns ends it */
function subscribe(set: React.Dispatch<React.SetStateAction<SignatureItem[] | null>>): () => void {
  const client = new FresnelClient(RPC_URL.replace(/^http/, 'ws'));
  const subscription = client.subscribe('all', {
    details: 'signatures',
    onTransaction: ({ signature, slot, blockTime }) => {
      set((items) => merge([{ signature, slot, blockTime }], items ?? []));
    },
    onRollback: ({ slot }) => {
      set((items) => items?.filter((item) => item.slot <= slot) ?? null);
    },
    onSlot: () => {
      set((items) => items ?? []);
    },
  });
  // The page then lists what it polls.
  subscription.closed.catch(() => {
    set(null);
  });
  return () => {
    subscription.close();
  };
}
