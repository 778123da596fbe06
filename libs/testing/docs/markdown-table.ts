/** A table in Markdown whose columns are not padded. @param rows cells, as Markdown */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map(escapeCell).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}
