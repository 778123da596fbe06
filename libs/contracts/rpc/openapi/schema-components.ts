import { isJsonObject, type JsonObject } from './json-object';

/** The part of a document that others refer to. Every schema with a title becomes one of its entries. */
export class SchemaComponents {
  readonly entries: Record<string, JsonObject> = {};

  /** Moves titled schemas out of a schema and leaves references behind. */
  refer(schema: JsonObject): JsonObject {
    const { title, ...rest } = Object.fromEntries(
      Object.entries(schema).map(([key, part]) => [key, this.referIn(part)]),
    );
    if (typeof title !== 'string') return rest;
    this.entries[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  }

  private referIn(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((item) => this.referIn(item));
    if (!isJsonObject(part)) return part;
    return this.refer(part);
  }
}
