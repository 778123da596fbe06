/** Shorter paragraphs are headings of tables, and short references. */
const MIN_LENGTH = 60;

/**
 * Finds paragraphs that stand in more than one page. Items of lists and rows of tables are paragraphs, commands are not.
 *
 * @param pages texts by path
 * @returns the pages of each repeated paragraph
 */
export function findRepeatedParagraphs(pages: ReadonlyMap<string, string>): Map<string, string[]> {
  const places = new Map<string, Set<string>>();
  for (const [path, text] of pages) {
    for (const paragraph of paragraphsOf(text)) places.set(paragraph, (places.get(paragraph) ?? new Set()).add(path));
  }
  const repeated = [...places].filter(([, paths]) => paths.size > 1);
  return new Map(repeated.map(([paragraph, paths]) => [paragraph, [...paths]]));
}

function paragraphsOf(text: string): string[] {
  return text
    .replace(/^ *```[^]*?^ *```/gm, '')
    .split(/\n\s*\n|\n(?= *(?:[-|]|\d+\.) )/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph.length >= MIN_LENGTH && /[a-z]/.test(paragraph));
}
