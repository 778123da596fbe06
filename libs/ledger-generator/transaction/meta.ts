import { encodeBase58, MAX_U64, toBase58 } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import { type Random } from '../random';
import { type TransactionDraft } from './transaction-draft';
import { type JsonValue } from './json';
import { type MessageKeys } from './message-keys';

const FEE_PER_SIGNATURE = 5000;
const CUSTOM_ERROR = { InstructionError: [0, { Custom: 6001 }] };
const OUTER_HEIGHT = 1;

/** The `meta` object of a transaction in the `getBlock` response. */
export function metaOf({ instructions, isFailed }: TransactionDraft, keys: MessageKeys, random: Random): JsonValue {
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
    innerInstructions: innerInstructions(instructions, keys),
    logMessages: instructions.map(({ program }) => `Program ${toBase58(program)} invoke [${OUTER_HEIGHT}]`),
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    loadedAddresses: { writable: loaded.writable.map(toBase58), readonly: loaded.readonly.map(toBase58) },
    computeUnitsConsumed: random.between(1000, 1_000_000),
  };
}

/** Sometimes the largest u64, which a double cannot represent. */
function balance(random: Random): bigint {
  return random.chance(0.1) ? MAX_U64 : BigInt(random.between(1_000_000, 2 ** 40));
}

/** The CPIs of each outer instruction, in the order of execution, with the stack height. */
function innerInstructions(outer: readonly Instruction[], keys: MessageKeys): JsonValue {
  return outer
    .map(({ cpis }, index) => ({
      index,
      instructions: cpis.flatMap((cpi) => flatten(cpi, OUTER_HEIGHT + 1, keys)),
    }))
    .filter(({ instructions }) => instructions.length > 0);
}

function flatten({ program, accounts, data, cpis }: Instruction, stackHeight: number, keys: MessageKeys): JsonValue[] {
  const instruction = {
    programIdIndex: keys.positionOf(program),
    accounts: accounts.map(({ key }) => keys.positionOf(key)),
    data: encodeBase58(data),
    stackHeight,
  };
  return [instruction, ...cpis.flatMap((cpi) => flatten(cpi, stackHeight + 1, keys))];
}
