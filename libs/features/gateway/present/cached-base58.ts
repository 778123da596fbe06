import { type Hash, keyOf, toBase58 } from '@fresnel/domain/primitives';

/** `toBase58` with a cache: proofs in one tree share most siblings, and base58 is the most expensive part of a response. */
export function cachedBase58(): (hash: Hash) => string {
  const texts = new Map<string, string>();
  return (hash) => {
    const key = keyOf(hash);
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = toBase58(hash);
    texts.set(key, text);
    return text;
  };
}

/** `toBase58` that remembers the last key: the rows of a list mostly have the same tree, owner or mint. */
export function rememberedBase58(): (key: Buffer) => string {
  let lastKey: Buffer | null = null;
  let lastText = '';
  return (key) => {
    if (!lastKey?.equals(key)) {
      lastText = toBase58(key);
      lastKey = Buffer.from(key);
    }
    return lastText;
  };
}
