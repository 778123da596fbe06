const texts = new Map<() => object, string>();

/** A document as JSON. It is built when it is first asked for: few gateways are. */
export function documentText(create: () => object): string {
  const text = texts.get(create) ?? JSON.stringify(create());
  texts.set(create, text);
  return text;
}
