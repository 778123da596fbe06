import { METHOD_CONTRACTS } from './contracts';
import {
  ACCOUNTS_COST,
  bodyPoints,
  FILTERED_PAGE_COST,
  firstPointsOf,
  INTERFACE_COST,
  NEW_ADDRESS_COST,
  OPTIONAL_PAGE_COST,
  PAGE_COST,
  PROOFS_COST,
  QUEUE_ELEMENTS_COST,
  QUEUE_INFO_COST,
  VALIDITY_PROOF_COST,
} from './cost';

it.each([
  [{}, 51],
  [{ limit: null }, 51],
  [{ limit: 1000 }, 51],
  [{ limit: 21 }, 3],
  [{ limit: 20 }, 2],
  [{ limit: 1 }, 2],
  [{ limit: 0 }, 1],
])('a page %j costs at most %d', (params, points) => {
  expect(PAGE_COST.pointsOf(params)).toBe(points);
});

it.each([
  [{}, 2],
  [{ limit: null }, 2],
  [{ limit: 1000, filters: [{}] }, 2],
  [{ limit: 1 }, 2],
  [{ limit: 0 }, 1],
])('a page %j takes %d points before it is read', (params, points) => {
  expect(firstPointsOf(FILTERED_PAGE_COST, params)).toBe(points);
});

it('a call whose params say how much is read takes all points before', () => {
  expect(firstPointsOf(PROOFS_COST, Array(1000).fill('x'))).toBe(501);
});

it.each([
  [{ rows: 0 }, 1],
  [{ rows: 20 }, 2],
  [{ rows: 21 }, 3],
  [{ rows: 1000 }, 51],
  [{ rows: 0, filteredRows: 1 }, 2],
  [{ rows: 20, filteredRows: 1_001 }, 4],
  [{ rows: 0, filteredRows: 1_000_000 }, 1_001],
])('a page that has read %j costs %d', (work, points) => {
  expect(FILTERED_PAGE_COST.pointsOfWork?.(work)).toBe(points);
});

it.each([
  [0, 1],
  [50, 2],
  [60_000, 1_201],
])('%d entries of queues cost %d', (rows, points) => {
  expect(QUEUE_ELEMENTS_COST.pointsOfWork?.({ rows })).toBe(points);
});

it.each([
  [0, 1],
  [1, 2],
  [2, 2],
  [3, 3],
  [1000, 501],
  [1_000_000, 501],
])('%d addresses or hashes cost %d', (length, points) => {
  expect(NEW_ADDRESS_COST.pointsOf(Array(length).fill('x'))).toBe(points);
  expect(PROOFS_COST.pointsOf(Array(length).fill('x'))).toBe(points);
});

it.each([
  [0, 1],
  [1, 2],
  [20, 2],
  [21, 3],
  [1000, 51],
  [1_000_000, 51],
])('%d accounts cost %d', (length, points) => {
  expect(ACCOUNTS_COST.pointsOf({ hashes: Array(length).fill('x'), addresses: null })).toBe(points);
  expect(ACCOUNTS_COST.pointsOf({ addresses: Array(length).fill('x') })).toBe(points);
});

it.each([
  [{ address: 'x' }, 5],
  [{ addresses: ['x'] }, 5],
  [{ addresses: Array(100).fill('x') }, 104],
  [{ addresses: Array(100_000).fill('x') }, 104],
  [{ addresses: 'x' }, 5],
  [null, 5],
])('accounts on either side cost by their addresses', (params, points) => {
  expect(INTERFACE_COST.pointsOf(params)).toBe(points);
});

it.each([
  [{ limit: 20 }, 2],
  [{ limit: 20, filters: null }, 2],
  [{ limit: 20, filters: [] }, 2],
  [{ limit: 20, filters: [{}] }, 1_002],
  [{ filters: [{}, {}] }, 1_051],
])('a page with filters %j costs at most %d', (params, points) => {
  expect(FILTERED_PAGE_COST.pointsOf(params)).toBe(points);
});

it.each([
  [undefined, 5],
  [null, 5],
  [{}, 5],
  [[], 5],
  [{ trees: null }, 5],
  [{ trees: [] }, 1],
  [{ trees: ['x', 'x'] }, 2],
  [{ trees: Array(11).fill('x') }, 3],
  [{ trees: Array(1_000).fill('x') }, 11],
  [{ trees: 'x' }, 1],
])('the queues of %j cost %d', (params, points) => {
  expect(QUEUE_INFO_COST.pointsOf(params)).toBe(points);
});

it.each([
  [undefined, 1],
  [[], 1],
  [{ outputQueue: null }, 1],
  [{ outputQueue: { limit: 0 } }, 1],
  [{ outputQueue: { limit: 1 } }, 2],
  [{ outputQueue: { limit: 50 }, inputQueue: { limit: 1 } }, 3],
  [{ outputQueue: { limit: 30_000 }, inputQueue: { limit: 30_000 } }, 1_201],
  [{ addressQueue: { limit: 30_001 } }, 1],
  [{ addressQueue: { limit: '5' } }, 1],
])('entries of queues %j cost at most %d', (params, points) => {
  expect(QUEUE_ELEMENTS_COST.pointsOf(params)).toBe(points);
});

it.each([
  [0, 0],
  [1023, 0],
  [1024, 1],
  [1024 * 1024, 1024],
])('a body of %d bytes costs at least %d', (bytes, points) => {
  expect(bodyPoints(bytes)).toBe(points);
});

it.each([undefined, null, [], {}])('a page of the default limit costs the same with params %j', (params) => {
  expect(OPTIONAL_PAGE_COST.pointsOf(params)).toBe(51);
});

it.each([
  [{}, 5],
  [{ hashes: ['a', 'b'] }, 7],
  [{ hashes: ['a'], newAddresses: ['b'], newAddressesWithTrees: null }, 7],
  [{ hashes: Array(5000).fill('a'), newAddressesWithTrees: [{}] }, 1006],
])('a validity proof of %j costs %d', (params, points) => {
  expect(VALIDITY_PROOF_COST.pointsOf(params)).toBe(points);
});

const MALFORMED = ['text', 7, { limit: 1e9 }, { limit: -1 }, { limit: 0.5 }, { limit: '9' }, [[]]];

it.each(METHOD_CONTRACTS.map((contract) => [contract.name, contract] as const))(
  '%s costs a whole number of points, also with malformed params',
  (_, { cost, isParamsOptional = false }) => {
    for (const params of isParamsOptional ? MALFORMED : [undefined, null, ...MALFORMED]) {
      const points = cost.pointsOf(params);
      expect(Number.isInteger(points) && points >= 1).toBe(true);
      expect(points).toBeLessThanOrEqual(5);
    }
  },
);
