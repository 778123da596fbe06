import { newAddressPoints } from './new-address-points';

it.each([
  [0, 1],
  [1, 2],
  [100, 2],
  [101, 3],
  [1000, 11],
  [1_000_000, 11],
])('%d addresses cost %d', (length, points) => {
  expect(newAddressPoints(Array(length).fill('x'))).toBe(points);
});

it.each([undefined, null, 'text', { length: 500 }])('malformed params %p cost one', (params) => {
  expect(newAddressPoints(params)).toBe(1);
});
