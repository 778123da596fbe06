/** A chunk ends with the slot that reaches this size, before compression. A transaction has 3 KB, about. */
export const CHUNK_TEXT_BYTES = 4 * 2 ** 20;
/** Larger ones are refused: the transactions of one slot have far less. */
export const MAX_TEXT_BYTES = 128 * 2 ** 20;
export const MAX_CHUNK_BYTES = MAX_TEXT_BYTES;
/** A chunk of mainnet has 15,000 slots or so, and an entry of 240 bytes: 3 MB for all of it. */
export const MAX_MANIFEST_BYTES = 64 * 2 ** 20;
