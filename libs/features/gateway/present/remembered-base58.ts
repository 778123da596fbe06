import { toBase58 } from '@fresnel/domain/primitives';

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
