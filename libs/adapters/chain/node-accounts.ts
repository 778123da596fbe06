import { type JsonCursor } from '@fresnel/domain/events';
import {
  asFields,
  asList,
  asSlot,
  asText,
  MalformedTextError,
  MAX_U64,
  parsePubkey,
  type Pubkey,
  type Slot,
} from '@fresnel/domain/primitives';

/** A Solana account. */
export interface NodeAccount {
  lamports: bigint;
  data: Buffer;
  owner: Pubkey;
  isExecutable: boolean;
  rentEpoch: bigint;
}

/** Some accounts, null for each that does not exist, and the slot of the answer. */
export interface NodeAccounts {
  slot: Slot;
  accounts: (NodeAccount | null)[];
}

/**
 * Reads the result of `getMultipleAccounts` in base64 encoding, with all digits of its numbers.
 *
 * @param count of the keys in the request
 * @throws MalformedTextError
 */
export function readNodeAccounts(result: JsonCursor, count: number): NodeAccounts {
  const accounts: (NodeAccount | null)[] = [];
  const slots: Slot[] = [];
  result.visitMembers((name) => {
    if (name === 'context') slots.push(asSlot(asFields(result.readValue()).slot));
    else if (name === 'value') {
      result.visitElements(() => {
        accounts.push(result.skipNull() ? null : readAccount(result));
      });
    } else result.skip();
  });
  const [slot] = slots;
  if (slots.length !== 1 || accounts.length !== count) throw new MalformedTextError('expected a slot and each account');
  return { slot, accounts };
}

function readAccount(account: JsonCursor): NodeAccount {
  const members = new Map<string, string>();
  account.visitMembers((name) => members.set(name, account.readText()));
  const [bytes, encoding] = asList(valueOf(members, 'data'));
  if (encoding !== 'base64') throw new MalformedTextError('expected base64');
  return {
    lamports: u64Of(members, 'lamports'),
    data: Buffer.from(asText(bytes), 'base64'),
    owner: parsePubkey(asText(valueOf(members, 'owner'))),
    isExecutable: valueOf(members, 'executable') === true,
    rentEpoch: u64Of(members, 'rentEpoch'),
  };
}

function valueOf(members: ReadonlyMap<string, string>, name: string): unknown {
  return JSON.parse(members.get(name) ?? 'null');
}

/** The largest u64, which many accounts have as their rent epoch, after a proxy has read and written it in JavaScript. */
const ROUNDED_MAX = 2 ** 64;

function u64Of(members: ReadonlyMap<string, string>, name: string): bigint {
  const digits = members.get(name) ?? '';
  const number = /^\d{1,20}$/.test(digits) ? BigInt(digits) : null;
  if (number !== null && Number(number) === ROUNDED_MAX) return MAX_U64;
  if (number === null || number > MAX_U64) throw new MalformedTextError(`expected an unsigned integer as ${name}`);
  return number;
}
