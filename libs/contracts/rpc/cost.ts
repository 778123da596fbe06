import { isWithoutParams } from './params/no-params';
import { MAX_SOLANA_ADDRESSES } from './params/solana-addresses';
import { MAX_ACCOUNTS } from './schemas/account-list';
import { MAX_HASHES } from './schemas/account-proof';
import { MAX_ADDRESSES } from './schemas/new-address-proof';
import { MAX_PAGE_ITEMS } from './schemas/paging';
import { MAX_QUEUE_ELEMENTS } from './schemas/queues';
import { MAX_QUEUE_TREES } from './schemas/queue-info';

/**
 * What a call costs in points of the rate limiter. Points follow the work. One point stands for a lookup by key, or for 20 rows of a
 * page, 2 proofs or 50 entries of a queue. Work that the answer does not show, such as rows that a filter reads, costs points too.
 */
export interface Cost {
  /** The formula, as a sentence for the API documentation. */
  readonly formula: string;
  /** The most that a call costs. @param params as sent, not checked: a malformed member counts as empty */
  readonly pointsOf: (params: unknown) => number;
  /** For calls that cost by what they find, which is often less than their params allow. */
  readonly pointsOfWork?: (work: Work) => number;
}

/** What a call has read. */
export interface Work {
  /** Rows of the page, or entries of the queues. */
  rows: number;
  /** Rows that filters were compared with. */
  filteredRows?: number;
}

/** A call that costs by what it finds takes these before it runs, enough for a page of 20 rows, and the rest afterwards. */
const FIRST_POINTS = 2;

/** The points that are taken before a call runs. */
export function firstPointsOf({ pointsOf, pointsOfWork }: Cost, params: unknown): number {
  return pointsOfWork ? Math.min(FIRST_POINTS, pointsOf(params)) : pointsOf(params);
}

const ITEMS_PER_POINT = 20;
const ADDRESSES_PER_POINT = 2;
const TRANSACTION_POINTS = 5;
const FILTERED_ROWS_PER_POINT = 1_000;
/** Owners of more than a million accounts have no filtered lists. */
const MAX_FILTER_POINTS = 1_000;
const BYTES_PER_POINT = 1024;

export const ONE_POINT: Cost = { formula: 'A call costs one point.', pointsOf: () => 1 };

export const PAGE_COST = {
  formula: `A call costs ${FIRST_POINTS} points, and after the answer one more for every further ${ITEMS_PER_POINT} items or part of ${ITEMS_PER_POINT}.`,
  pointsOf: (params) => 1 + Math.ceil(limitOf(params) / ITEMS_PER_POINT),
  pointsOfWork: ({ rows }) => 1 + Math.ceil(rows / ITEMS_PER_POINT),
} satisfies Cost;

/** For methods whose params may be absent: the default limit is that of a page. */
export const OPTIONAL_PAGE_COST: Cost = {
  ...PAGE_COST,
  pointsOf: (params) => PAGE_COST.pointsOf(isWithoutParams(params) ? {} : params),
};

/** With filters, all accounts of an owner may have to be read. */
export const FILTERED_PAGE_COST: Cost = {
  formula: `${PAGE_COST.formula} Filters cost one more for every ${FILTERED_ROWS_PER_POINT.toLocaleString('en')} accounts of the owner or part of ${FILTERED_ROWS_PER_POINT.toLocaleString('en')}.`,
  pointsOf: (params) => PAGE_COST.pointsOf(params) + (hasFilters(params) ? MAX_FILTER_POINTS : 0),
  pointsOfWork: ({ rows, filteredRows = 0 }) =>
    PAGE_COST.pointsOfWork({ rows }) + Math.ceil(filteredRows / FILTERED_ROWS_PER_POINT),
};

export const ACCOUNTS_COST: Cost = {
  formula: `A call costs one point, and one more for every ${ITEMS_PER_POINT} accounts or part of ${ITEMS_PER_POINT}.`,
  pointsOf: (params) => 1 + Math.ceil(keyCountOf(params) / ITEMS_PER_POINT),
};

/** The node's JSON of a transaction and all its accounts. */
export const TRANSACTION_COST: Cost = {
  formula: `A call costs ${TRANSACTION_POINTS} points.`,
  pointsOf: () => TRANSACTION_POINTS,
};

export const NEW_ADDRESS_COST: Cost = {
  formula: `A call costs one point, and one more for every ${ADDRESSES_PER_POINT} addresses or part of ${ADDRESSES_PER_POINT}.`,
  pointsOf: (params) => 1 + Math.ceil(lengthOf(params, MAX_ADDRESSES) / ADDRESSES_PER_POINT),
};

const PROOFS_PER_POINT = 2;

export const ONE_PROOF_COST: Cost = { formula: 'A call costs 2 points.', pointsOf: () => 2 };

/** For lists of hashes. */
export const PROOFS_COST: Cost = {
  formula: `A call costs one point, and one more for every ${PROOFS_PER_POINT} hashes or part of ${PROOFS_PER_POINT}.`,
  pointsOf: (params) => 1 + Math.ceil(lengthOf(params, MAX_HASHES) / PROOFS_PER_POINT),
};

const VALIDITY_PROOF_POINTS = 5;

/** A circuit takes seconds of a prover. */
export const VALIDITY_PROOF_COST: Cost = {
  formula: `A call costs ${VALIDITY_PROOF_POINTS} points, and one more for every hash and address.`,
  pointsOf: (params) => VALIDITY_PROOF_POINTS + provenCountOf(params),
};

const INTERFACE_POINTS = 4;

/** The node is asked as well, and addresses are derived for each program. */
export const INTERFACE_COST: Cost = {
  formula: `A call costs ${INTERFACE_POINTS} points, and one more for every address.`,
  pointsOf: (params) => INTERFACE_POINTS + addressCountOf(params),
};

const SUBSCRIPTION_POINTS = 2;

/** Old slots are charged by the page, as they are read. */
export const SUBSCRIPTION_COST = {
  formula: `A call costs ${SUBSCRIPTION_POINTS} points. Slots that are sent because of \`from\` cost one more for every ${ITEMS_PER_POINT} transactions that are read, or part of ${ITEMS_PER_POINT}: the subscription waits until the client has them. New slots cost nothing.`,
  pointsOf: () => SUBSCRIPTION_POINTS,
  pointsOfWork: ({ rows }) => Math.ceil(rows / ITEMS_PER_POINT),
} satisfies Cost;

const DISCOVER_POINTS = 5;

/** The document is some hundred KiB, but reads no tables. */
export const DISCOVER_COST: Cost = {
  formula: `A call costs ${DISCOVER_POINTS} points.`,
  pointsOf: () => DISCOVER_POINTS,
};

/** A call that a Solana node answers. */
export const NODE_COST: Cost = { formula: 'A call costs 2 points.', pointsOf: () => 2 };

const QUEUE_TREES_PER_POINT = 10;
const ALL_QUEUES_POINTS = 5;

/** One request to the prover for each tree. */
export const QUEUE_INFO_COST: Cost = {
  formula: `A call costs one point, and one more for every ${QUEUE_TREES_PER_POINT} trees or part of ${QUEUE_TREES_PER_POINT}; without \`trees\` it costs ${ALL_QUEUES_POINTS} points.`,
  pointsOf: (params) => {
    const trees = typeof params === 'object' && params !== null && 'trees' in params ? params.trees : null;
    if (trees === null) return ALL_QUEUES_POINTS;
    return 1 + Math.ceil(lengthOf(trees, MAX_QUEUE_TREES) / QUEUE_TREES_PER_POINT);
  },
};

const QUEUE_ELEMENTS_PER_POINT = 50;

export const QUEUE_ELEMENTS_COST: Cost = {
  formula: `A call costs ${FIRST_POINTS} points, and after the answer one more for every further ${QUEUE_ELEMENTS_PER_POINT} entries or part of ${QUEUE_ELEMENTS_PER_POINT}.`,
  pointsOf: (params) => 1 + Math.ceil(queueLimitsOf(params) / QUEUE_ELEMENTS_PER_POINT),
  pointsOfWork: ({ rows }) => 1 + Math.ceil(rows / QUEUE_ELEMENTS_PER_POINT),
};

export const QUEUE_LEAVES_COST: Cost = {
  ...QUEUE_ELEMENTS_COST,
  pointsOf: (params) => QUEUE_ELEMENTS_COST.pointsOf({ inputQueue: params }),
};

export const BODY_COST_FORMULA = `A request costs the points of its calls, and at least one for every full ${BYTES_PER_POINT} bytes of its body.`;

/** The least that a request with a body of this size costs. */
export function bodyPoints(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_POINT);
}

function limitOf(params: unknown): number {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return 0;
  const limit: unknown = 'limit' in params ? params.limit : null;
  return limit === null ? MAX_PAGE_ITEMS : countOf(limit, MAX_PAGE_ITEMS);
}

/** The sum of the limits of all queues. */
function queueLimitsOf(params: unknown): number {
  if (typeof params !== 'object' || params === null) return 0;
  const members = new Map<string, unknown>(Object.entries(params));
  const queues = ['outputQueue', 'inputQueue', 'addressQueue'].map((name) => members.get(name));
  return queues.reduce<number>((sum, queue) => {
    const hasLimit = typeof queue === 'object' && queue !== null && 'limit' in queue;
    return sum + (hasLimit ? countOf(queue.limit, MAX_QUEUE_ELEMENTS) : 0);
  }, 0);
}

/** A number of items; 0 for one that is rejected. */
function countOf(limit: unknown, max: number): number {
  const isValid = typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 && limit <= max;
  return isValid ? limit : 0;
}

function hasFilters(params: unknown): boolean {
  if (typeof params !== 'object' || params === null || !('filters' in params)) return false;
  return lengthOf(params.filters, 1) > 0;
}

function keyCountOf(params: unknown): number {
  if (typeof params !== 'object' || params === null) return 0;
  const keys: unknown[] = ['hashes' in params ? params.hashes : null, 'addresses' in params ? params.addresses : null];
  return Math.max(...keys.map((list) => lengthOf(list, MAX_ACCOUNTS)));
}

function addressCountOf(params: unknown): number {
  if (typeof params !== 'object' || params === null || !('addresses' in params)) return 1;
  return Math.max(1, lengthOf(params.addresses, MAX_SOLANA_ADDRESSES));
}

function provenCountOf(params: unknown): number {
  if (typeof params !== 'object' || params === null) return 0;
  const members = new Map<string, unknown>(Object.entries(params));
  const lists = [members.get('hashes'), members.get('newAddresses'), members.get('newAddressesWithTrees')];
  return lists.reduce<number>((sum, list) => sum + lengthOf(list, MAX_ADDRESSES), 0);
}

/** Longer lists are rejected, so they cost no more than the longest. */
function lengthOf(list: unknown, max: number): number {
  return Array.isArray(list) ? Math.min(list.length, max) : 0;
}
