import { MAX_U64, toBase58 } from '@fresnel/domain/primitives';
import { type Call } from '../calls/call';
import { type Random } from '../random';
import { dataToBase58 } from './base58-data';
import { type TransactionDraft } from './draft';
import { type JsonValue } from './json';
import { type MessageKeys } from './message-keys';

const FEE_PER_SIGNATURE = 5000;
const CUSTOM_ERROR = { InstructionError: [0, { Custom: 6001 }] };
const OUTER_HEIGHT = 1;

/** What a node tells about a transaction besides the transaction: `meta` of `getBlock` in base64 encoding. */
export function metaOf({ calls, isFailed }: TransactionDraft, keys: MessageKeys, random: Random): JsonValue {
  const { statics, header, loaded } = keys;
  const accounts = statics.length + loaded.writable.length + loaded.readonly.length;
  const fee = FEE_PER_SIGNATURE * header[0];
  const balances = Array.from({ length: accounts }, () => balance(random));
  return {
    err: isFailed ? CUSTOM_ERROR : null,
    status: isFailed ? { Err: CUSTOM_ERROR } : { Ok: null },
    fee,
    preBalances: balances,
    postBalances: balances.map((lamports, i) => (i === 0 ? lamports - BigInt(fee) : lamports)),
    innerInstructions: innerInstructions(calls, keys),
    logMessages: calls.map((call) => `Program ${toBase58(call.program)} invoke [${OUTER_HEIGHT}]`),
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    loadedAddresses: { writable: loaded.writable.map(toBase58), readonly: loaded.readonly.map(toBase58) },
    computeUnitsConsumed: random.between(1000, 1_000_000),
  };
}

/** Now and then an account holds more than a double can tell. */
function balance(random: Random): bigint {
  return random.chance(0.1) ? MAX_U64 : BigInt(random.between(1_000_000, 2 ** 40));
}

/** What each outer instruction called, in the order of execution, with its depth. */
function innerInstructions(calls: readonly Call[], keys: MessageKeys): JsonValue {
  return calls
    .map((call, index) => ({
      index,
      instructions: call.calls.flatMap((inner) => flatten(inner, OUTER_HEIGHT + 1, keys)),
    }))
    .filter(({ instructions }) => instructions.length > 0);
}

function flatten(call: Call, stackHeight: number, keys: MessageKeys): JsonValue[] {
  const instruction = {
    programIdIndex: keys.positionOf(call.program),
    accounts: call.accounts.map(({ key }) => keys.positionOf(key)),
    data: dataToBase58(call.data),
    stackHeight,
  };
  return [instruction, ...call.calls.flatMap((inner) => flatten(inner, stackHeight + 1, keys))];
}
