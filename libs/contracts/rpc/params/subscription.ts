import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { closedObject } from '../schemas/closed-object';
import { HashText, PubkeyText, SlotNumber } from '../schemas/scalars';
import { readHash, readPubkey } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { optional, readMembers, type ReadValue, required } from './members';
import { type PushCursor, readPushCursor, readStartSlot } from './push-cursor';

/** Values of a filter together. */
export const MAX_FILTER_VALUES = 1_000;

const FILTER_MEMBERS = {
  hashes: { schema: HashText, read: readHash },
  addresses: { schema: HashText, read: readHash },
  owners: { schema: PubkeyText, read: readPubkey },
  tokenOwners: { schema: PubkeyText, read: readPubkey },
  delegates: { schema: PubkeyText, read: readPubkey },
  mints: { schema: PubkeyText, read: readPubkey },
  trees: { schema: PubkeyText, read: readPubkey },
};

/** What a filter compares with its values. */
export type FilterKind = keyof typeof FILTER_MEMBERS;
export const FILTER_KINDS = Object.keys(FILTER_MEMBERS) as FilterKind[];

/** A transaction matches if any account that it opens or closes has any of the values. */
export type SubscriptionFilter = 'all' | Record<FilterKind, readonly (Hash | Pubkey)[]>;

/** Null: from now on. */
export type SubscriptionStart = PushCursor | { slot: number } | null;

export interface SubscribeParams {
  filter: SubscriptionFilter;
  from: SubscriptionStart;
  /** Whether transactions have their accounts. */
  hasAccounts: boolean;
}

const FilterObject = closedObject(
  Object.fromEntries(
    FILTER_KINDS.map((kind) => [
      kind,
      Type.Optional(Type.Array(FILTER_MEMBERS[kind].schema, { maxItems: MAX_FILTER_VALUES })),
    ]),
  ),
  { description: `At least one value, and at most ${MAX_FILTER_VALUES.toLocaleString('en')} together.` },
);

const Options = closedObject({
  from: Type.Optional(
    Type.Union([
      Type.String({ maxLength: 100, description: 'The cursor of a slot message.' }),
      closedObject({ slot: SlotNumber }, { description: 'From this slot on.' }),
    ]),
  ),
  details: Type.Optional(
    Type.Enum(['full', 'signatures'], { description: 'signatures: without accounts. The default is full.' }),
  ),
});

export const SubscribeParamsSchema = Type.Union([
  Type.Tuple([Type.Union([Type.Literal('all'), FilterObject])]),
  Type.Tuple([Type.Union([Type.Literal('all'), FilterObject]), Options]),
]);

/** Reads `[filter, options?]`. @throws InvalidParamsError */
export function readSubscribeParams(params: unknown): SubscribeParams {
  if (!Array.isArray(params) || params.length < 1 || params.length > 2) {
    throw new InvalidParamsError('params must be an array of a filter and, if there are any, options');
  }
  const [filter, given] = params as unknown[];
  const options = readMembers(given ?? {}, 'options', ['from', 'details']);
  return {
    filter: readFilter(filter, 'filter'),
    from: optional(options, 'from', readStart),
    hasAccounts: optional(options, 'details', readDetails) !== 'signatures',
  };
}

const readFilter: ReadValue<SubscriptionFilter> = (value, field) => {
  if (value === 'all') return 'all';
  if (typeof value === 'string') throw new InvalidParamsError(`${field} must be "all" or an object`);
  const members = readMembers(value, field, FILTER_KINDS);
  const lists = FILTER_KINDS.map((kind) => {
    const list = members.get(kind) ?? [];
    if (!Array.isArray(list)) throw new InvalidParamsError(`${field}.${kind} must be an array`);
    return { kind, list };
  });
  const count = lists.reduce((sum, { list }) => sum + list.length, 0);
  if (count === 0) throw new InvalidParamsError(`${field} must have a value`);
  if (count > MAX_FILTER_VALUES) {
    throw new InvalidParamsError(`${field} must have at most ${MAX_FILTER_VALUES} values, not ${count}`);
  }
  const read = ({ kind, list }: (typeof lists)[number]) => [
    kind,
    list.map((item, at) => FILTER_MEMBERS[kind].read(item, `${field}.${kind}[${at}]`)),
  ];
  return Object.fromEntries(lists.map(read)) as Record<FilterKind, (Hash | Pubkey)[]>;
};

const readStart: ReadValue<Exclude<SubscriptionStart, null>> = (value, field) => {
  if (typeof value === 'string') return readPushCursor(value, field);
  return { slot: required(readMembers(value, field, ['slot']), 'slot', readStartSlot, `${field}.slot`) };
};

const readDetails: ReadValue<string> = (value, field) => {
  if (value !== 'full' && value !== 'signatures')
    throw new InvalidParamsError(`${field} must be "full" or "signatures"`);
  return value;
};

/** Reads `[id]`. @throws InvalidParamsError */
export function readUnsubscribeParams(params: unknown): number {
  const id: unknown = Array.isArray(params) && params.length === 1 ? params[0] : null;
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw new InvalidParamsError('params must be an array of a subscription id');
  return id;
}
