/** JSON of a response as one text. @param json a text, or its encoded parts */
export function textOf(json: string | readonly Buffer[]): string {
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}
