import { types } from 'pg';

/** Object id of the type `bytea`. */
const BYTEA: number = types.builtins.BYTEA;

/** What pg asks how to parse the columns of a result. */
export interface RowParsers {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown;
}

/**
 * Parsers of pg, except that a column of bytes that has the same value in successive rows has the same Buffer in them: a list
 * repeats its tree, owner or mint in every row. The buffers must not be changed.
 */
export const ROW_PARSERS: RowParsers = {
  getTypeParser: (oid, format) => (oid === BYTEA && format !== 'binary' ? rememberBytes() : parserOf(oid, format)),
};

/** pg takes the object id of any type, but its types list only some. */
const parserOf = types.getTypeParser as RowParsers['getTypeParser'];

/** pg calls this once for each column of a result. */
function rememberBytes(): (text: string) => Buffer {
  let lastText = '';
  let lastBytes = Buffer.alloc(0);
  return (text) => {
    if (text !== lastText) {
      lastText = text;
      lastBytes = Buffer.from(text.slice(HEX_PREFIX.length), 'hex');
    }
    return lastBytes;
  };
}

/** The setting `bytea_output` of a connection is `hex`. */
const HEX_PREFIX = '\\x';
