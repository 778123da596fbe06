/** The part of JSON Schema that the documents of the gateway use. */
export interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  const?: unknown;
  default?: string | number | boolean;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
  title?: string;
  description?: string;
}

/** Schemas by the last part of their references. */
export type Schemas = Record<string, Schema>;

export interface ComparisonOptions {
  released: Schemas;
  now: Schemas;
  /** Who writes the values: clients, whose values stay valid, or the gateway, whose values a client of the release can read. */
  writer: 'client' | 'gateway';
  /** Whether closed objects that the gateway writes may get members, and unions further forms. */
  mayGrow?: boolean;
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems'] as const;
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems'] as const;
/** If they differ, so do the values, or what their absence means. */
const SAME = ['type', 'default', 'pattern', 'format', 'contentEncoding'] as const;
/** Any other keyword needs a rule first. */
const KNOWN = new Set<string>([
  ...[
    '$ref',
    'anyOf',
    'const',
    'enum',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'title',
    'description',
  ],
  ...SAME,
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
]);

/** Compares two schemas of the same values. */
export class SchemaComparison {
  private readonly isRequest: boolean;

  constructor(private readonly options: ComparisonOptions) {
    this.isRequest = options.writer === 'client';
  }

  /**
   * @param path of the values, for the report
   * @returns what breaks clients of the release, a sentence each
   * @throws Error for a keyword that has no rule
   */
  compare(releasedSchema: Schema, nowSchema: Schema, path: string): string[] {
    const released = resolve(releasedSchema, this.options.released);
    const now = resolve(nowSchema, this.options.now);
    if (released.anyOf ?? now.anyOf) {
      return this.compareForms(formsOf(released, this.options.released), formsOf(now, this.options.now), path);
    }
    const changed = SAME.filter((key) => released[key] !== now[key]).map(
      (key) => `${path}: ${key} was ${released[key]} and is ${now[key]}`,
    );
    if (changed.length > 0) return changed;
    return [
      ...this.compareValues(released, now, path),
      ...this.compareBounds(released, now, path),
      ...this.compareMembers(released, now, path),
      ...(released.items || now.items ? this.compare(released.items ?? {}, now.items ?? {}, `${path}[]`) : []),
    ];
  }

  /** No form goes, and the gateway writes no new one. */
  private compareForms(released: readonly Schema[], now: readonly Schema[], path: string): string[] {
    const gone = released.flatMap((form) => this.closest(form, now, path, (other) => [form, other]));
    if (this.isRequest || this.options.mayGrow || gone.length > 0) return gone;
    return now.flatMap((form) => this.closest(form, released, path, (other) => [other, form]));
  }

  /** @returns the differences to the form of the same type that has the fewest */
  private closest(form: Schema, forms: readonly Schema[], path: string, pair: (other: Schema) => [Schema, Schema]) {
    const { type } = form;
    const differences = forms
      .filter((other) => other.type === type)
      .map((other) => this.compare(...pair(other), path))
      .sort((a, b) => a.length - b.length);
    return differences.length > 0 ? differences[0] : [`${path}: only one version has the form ${type ?? 'any'}`];
  }

  /** The writer may write each value that the release permits to clients, and no other that the gateway did not write. */
  private compareValues(released: Schema, now: Schema, path: string): string[] {
    const [written, understood] = this.isRequest ? [released, now] : [now, released];
    const permitted = valuesOf(understood);
    if (!permitted) return [];
    const others = (valuesOf(written) ?? ['any']).filter((value) => !permitted.includes(value));
    return others.map((value) => `${path}: the value ${String(value)} is ${this.isRequest ? 'gone' : 'new'}`);
  }

  private compareBounds(released: Schema, now: Schema, path: string): string[] {
    const [inner, outer] = this.isRequest ? [released, now] : [now, released];
    const lower = LOWER_BOUNDS.filter((key) => (inner[key] ?? -Infinity) < (outer[key] ?? -Infinity));
    const upper = UPPER_BOUNDS.filter((key) => (inner[key] ?? Infinity) > (outer[key] ?? Infinity));
    return [...lower, ...upper].map((key) => `${path}: ${key} was ${released[key]} and is ${now[key]}`);
  }

  private compareMembers(released: Schema, now: Schema, path: string): string[] {
    const [before, after] = [released.properties ?? {}, now.properties ?? {}];
    const kept = Object.entries(before).flatMap(([name, member]) =>
      name in after ? this.compare(member, after[name], `${path}.${name}`) : [`${path}.${name} is gone`],
    );
    const wasRequired = new Set(released.required);
    const isRequired = new Set(now.required);
    if (this.isRequest) {
      const required = [...isRequired].filter((name) => !wasRequired.has(name));
      const isClosed = now.additionalProperties === false && released.additionalProperties !== false;
      return [
        ...kept,
        ...required.map((name) => `${path}.${name} is required and was not`),
        ...(isClosed ? [`${path} refuses unknown members and did not`] : []),
      ];
    }
    const optional = [...wasRequired].filter((name) => name in after && !isRequired.has(name));
    const isOpen = this.options.mayGrow || released.additionalProperties !== false;
    const added = isOpen ? [] : Object.keys(after).filter((name) => !(name in before));
    return [
      ...kept,
      ...optional.map((name) => `${path}.${name} may be absent and was not`),
      ...added.map((name) => `${path}.${name} is new, and some clients refuse unknown members`),
    ];
  }
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const unknown = Object.keys(schema).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new Error(`no rule for ${unknown.join(', ')} of JSON Schema`);
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolve(schemas[name], schemas);
}

function formsOf(schema: Schema, schemas: Schemas): Schema[] {
  const resolved = resolve(schema, schemas);
  return resolved.anyOf?.flatMap((form) => formsOf(form, schemas)) ?? [resolved];
}

/** @returns null if the schema lists none */
function valuesOf(schema: Schema): unknown[] | null {
  return schema.enum ?? ('const' in schema ? [schema.const] : null);
}
