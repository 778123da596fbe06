import { Type } from 'typebox';
import { closedObject } from './closed-object';
import { nullable, U64 } from './scalars';

/** Maximum number of filters in one request. */
export const MAX_FILTERS = 5;
/** Maximum length of the bytes of a filter. */
export const MAX_FILTER_BYTES = 1024;
/** The first one is the default. */
export const FILTER_ENCODINGS = ['base58', 'base64'] as const;

export const Filters = Type.Array(
  closedObject(
    {
      memcmp: closedObject({
        offset: U64,
        bytes: Type.String({ description: `At most ${MAX_FILTER_BYTES} bytes.` }),
        encoding: Type.Optional(
          nullable(Type.Enum([...FILTER_ENCODINGS], { type: 'string', default: FILTER_ENCODINGS[0] })),
        ),
      }),
    },
    { title: 'Filter', description: 'The data, without the discriminator, have these bytes at this offset.' },
  ),
  { maxItems: MAX_FILTERS },
);

export const DataSlice = closedObject(
  { offset: U64, length: U64 },
  { title: 'DataSlice', description: 'The part of the data, without the discriminator, that is returned.' },
);

export const OptionalFilters = Type.Optional(nullable(Filters));
export const OptionalDataSlice = Type.Optional(nullable(DataSlice));
