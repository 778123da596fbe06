import { poseidon } from '@fresnel/domain/poseidon';
import { be32, type Hash, toHash } from '@fresnel/domain/primitives';
import { type ProofStatement } from '@fresnel/ledger-generator';
import { publicInputHashOf } from './public-inputs';

/** The body of a request to a validity prover. Numbers of 256 bits are hexadecimal. */
interface ProveRequest {
  circuitType: string;
  stateTreeHeight?: number;
  addressTreeHeight?: number;
  /** Circuits of V1 trees have none. */
  publicInputHash?: string;
  inputCompressedAccounts?: AccountInput[];
  newAddresses?: AddressInput[];
}

interface PathInput {
  root: string;
  pathIndex: number;
  /** Leaf level first. */
  pathElements: string[];
}

interface AccountInput extends PathInput {
  leaf: string;
}

interface AddressInput extends PathInput {
  value: string;
  leafLowerRangeValue: string;
  leafHigherRangeValue: string;
  nextIndex: number;
}

const HEIGHTS = { 1: { state: 26, address: 26 }, 2: { state: 32, address: 40 } };

/**
 * Checks what the circuits constrain: paths that lead to the roots, addresses between the values of their low elements, and the
 * public input.
 *
 * @throws Error with what is wrong
 */
export function checkProveRequest(request: ProveRequest): ProofStatement {
  const { inputCompressedAccounts: accounts = [], newAddresses: addresses = [], publicInputHash } = request;
  const version = publicInputHash === undefined ? 1 : 2;
  const circuitType = accounts.length === 0 ? 'non-inclusion' : addresses.length === 0 ? 'inclusion' : 'combined';
  require(request.circuitType === circuitType, 'the circuit type');
  const { state, address } = HEIGHTS[version];
  require(request.stateTreeHeight === (accounts.length > 0 ? state : undefined), 'the height of state trees');
  require(request.addressTreeHeight === (addresses.length > 0 ? address : undefined), 'the height of address trees');
  for (const account of accounts) requirePath(account, parse(account.leaf), state);
  for (const each of addresses) requirePath(each, lowElementOf(each, version), address);
  const statement = {
    version,
    accounts: accounts.map(({ root, leaf }) => ({ root: parse(root), leaf: parse(leaf) })),
    addresses: addresses.map(({ root, value }) => ({ root: parse(root), address: parse(value) })),
  } as const;
  if (publicInputHash !== undefined) {
    require(publicInputHashOf(statement).equals(parse(publicInputHash)), 'the public input hash');
  }
  return statement;
}

/** The leaf of the low element of an address. */
function lowElementOf(
  { value, leafLowerRangeValue, leafHigherRangeValue, nextIndex }: AddressInput,
  version: 1 | 2,
): Hash {
  const [address, low, high] = [value, leafLowerRangeValue, leafHigherRangeValue].map(parse);
  require(low.compare(address) < 0 && address.compare(high) < 0, 'the low element');
  return poseidon(version === 1 ? [low, be32(nextIndex), high] : [low, high]);
}

function requirePath({ root, pathIndex, pathElements }: PathInput, leaf: Hash, height: number): void {
  require(pathElements.length === height, 'the length of a path');
  let index = BigInt(pathIndex);
  let node = leaf;
  for (const element of pathElements.map(parse)) {
    node = poseidon(index % 2n === 0n ? [node, element] : [element, node]);
    index /= 2n;
  }
  require(index === 0n && node.equals(parse(root)), 'a path');
}

function parse(text: string): Hash {
  require(/^0x[0-9a-f]{64}$/.test(text), `the number ${text}`);
  return toHash(Buffer.from(text.slice(2), 'hex'));
}

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what} is wrong`);
}
