import { isJsonObject, type JsonObject } from './json-object';

/** `components.schemas` of an OpenAPI document. Every schema with a title becomes an entry. */
export class SchemaComponents {
  readonly entries: Record<string, JsonObject> = {};

  /** Replaces schemas with a title by references to entries. */
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
