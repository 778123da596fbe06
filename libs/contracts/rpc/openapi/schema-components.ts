import { isJsonObject, type JsonObject } from './json-object';

/** `components.schemas` of an OpenAPI or OpenRPC document. Every schema with a title becomes an entry. */
export class SchemaComponents {
  readonly entries: Record<string, JsonObject> = {};

  /** Replaces schemas with a title by references to entries. */
  refer(schema: JsonObject): JsonObject {
    const referred = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, this.referIn(part)]));
    const { title, ...rest } = referred;
    // A member that is called title has a schema.
    if (typeof title !== 'string') return referred;
    this.entries[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  }

  private referIn(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((item) => this.referIn(item));
    if (!isJsonObject(part)) return part;
    return this.refer(part);
  }
}
