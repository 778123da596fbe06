import {
  AddressExistsError,
  ProverUnavailableError,
  QueueStartPassedError,
  TreeNotServableError,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import {
  NothingIndexedError,
  SignaturesNotRecordedError,
  StoreUnavailableError,
  TooManyAccountsError,
} from '@fresnel/adapters/store-read';
import { InvalidParamsError } from '@fresnel/contracts/rpc';
import { parseHash, parsePubkey, toSlot } from '@fresnel/domain/primitives';
import { MinContextSlotError } from './min-context-slot.error';
import { IndexerUnhealthyError } from './indexer-unhealthy.error';
import { DeadlineExceededError } from './deadline';
import { failureOf } from './failure-of';
import { CallStateError } from './call-state.error';
import { MethodNotFoundError } from './method-not-found.error';

const KEY = 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2';

it.each([
  [new InvalidParamsError('owner is required'), -32602, 200, 'Invalid params: owner is required'],
  [new AddressExistsError(parseHash(KEY)), -32000, 200, `Address ${KEY} already exists`],
  [new UnknownTreeError(parsePubkey(KEY)), -32000, 200, `Tree ${KEY} is not known`],
  [new TreeNotServableError('The tree is being rebuilt'), -32000, 200, 'The tree is being rebuilt'],
  [new QueueStartPassedError(1n, 2n), -32000, 200, 'The queue starts at index 2, after the requested index 1.'],
  [new MethodNotFoundError('x'), -32601, 200, 'Method not found'],
  [new NothingIndexedError(), -32000, 200, 'Nothing is indexed yet'],
  [new TooManyAccountsError('This owner has too many accounts'), -32000, 200, 'This owner has too many accounts'],
  [new SignaturesNotRecordedError(), -32000, 200, new SignaturesNotRecordedError().message],
  [new CallStateError('The leaf has changed'), -32000, 200, 'The leaf has changed'],
  [new MinContextSlotError(toSlot(7)), -32016, 200, 'Minimum context slot has not been reached'],
  [new IndexerUnhealthyError('Node is behind 21 slots'), -32000, 200, 'Node is behind 21 slots'],
  [new ProverUnavailableError('connect ECONNREFUSED 10.0.0.7:50051'), -32603, 500, 'Internal error'],
  [new StoreUnavailableError('password authentication failed for user "x"'), -32603, 500, 'Internal error'],
  [new DeadlineExceededError('not done within 5 ms'), -32603, 500, 'Internal error'],
  [new Error('relation "accounts" does not exist'), -32603, 500, 'Internal error'],
  ['a string', -32603, 500, 'Internal error'],
  [undefined, -32603, 500, 'Internal error'],
])('%p becomes %d with status %d: %s', (error, code, httpStatus, message) => {
  expect(failureOf(error)).toMatchObject({ kind: { code, httpStatus }, message });
});
