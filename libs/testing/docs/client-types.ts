import { type AnyMethodContract, CONTRACTS, fullParams, PushNotification } from '@fresnel/contracts/rpc';
import { type TSchema, Type } from 'typebox';

/** Names that the client has already for something else. */
const OTHER_NAMES = new Map([['Filter', 'DataFilter']]);

/** @returns `libs/client/generated/methods.ts`: the types of all methods, and which members are 64-bit integers */
export function writeClientTypes(): string {
  const params = new TypeWriter('params');
  const results = new TypeWriter('result');
  const contracts = Object.values<AnyMethodContract>(CONTRACTS);
  const methods = contracts.map((contract) => {
    const { name, summary, description, isParamsOptional = false, result } = contract;
    return `${comment([summary, description].filter(Boolean).join(' '), '  ')}  ${keyOf(name)}: {
    params${isParamsOptional ? '?' : ''}: ${params.typeOf(fullParams(contract), '    ')};
    result: ${results.typeOf(result, '    ')};
  };
`;
  });
  const read = [
    ...contracts.map(({ name, result }) => [name, result] as const),
    [NOTIFICATION, PushNotification] as const,
  ];
  const members = read.map(([name, schema]) => [name, u64MembersOf(name, schema)] as const);
  const lines = members
    .filter(([, names]) => names.length > 0)
    .map(([name, names]) => `  ${keyOf(name)}: [${names.map((one) => `'${one}'`).join(', ')}],\n`);
  return `// Written by "npm run docs:make" from the contracts of the methods. Do not edit.

/** The methods by name: what they are sent, and what they return. Integers up to 2^64-1 are bigint in results. */
export interface Methods {
${methods.join('')}}

${[...definitionsOf(params, results)].join('\n')}
/** Members of results whose values are integers up to 2^64-1, by method. */
export const U64_MEMBERS: Readonly<Record<string, readonly string[]>> = {
${lines.join('')}};
`;
}

const NOTIFICATION = 'compressionNotification';

/** Definitions that params and results share are the same, unless they have 64-bit integers. */
function definitionsOf(...writers: TypeWriter[]): Set<string> {
  const byName = new Map<string, string>();
  for (const [name, text] of writers.flatMap(({ definitions }) => [...definitions])) {
    if ((byName.get(name) ?? text) !== text) throw new Error(`${name} is not the same in params and in results`);
    byName.set(name, text);
  }
  return new Set(byName.values());
}

/** Writes schemas as types of TypeScript. A schema with a title becomes a definition. */
class TypeWriter {
  readonly definitions = new Map<string, string>();

  /** @param side of params, which are written as JSON by a caller, or of results, which the client reads */
  constructor(private readonly side: 'params' | 'result') {}

  typeOf(schema: TSchema, indent: string): string {
    const { title, description } = schema as { title?: string; description?: string };
    if (title === undefined || Type.IsUnsafe(schema)) return this.bodyOf(schema, indent);
    const name = OTHER_NAMES.get(title) ?? title;
    if (!this.definitions.has(name)) {
      // Reserved first, so that it comes before what it refers to.
      this.definitions.set(name, '');
      const body = this.bodyOf(schema, '');
      const start = Type.IsObject(schema) ? `interface ${name} ${body}` : `type ${name} = ${body};`;
      this.definitions.set(name, `${comment(description, '')}export ${start}\n`);
    }
    return name;
  }

  private bodyOf(schema: TSchema, indent: string): string {
    if (Type.IsUnsafe(schema)) return this.side === 'result' ? 'bigint' : 'number';
    if (Type.IsLiteral(schema)) return literal(schema.const);
    if (Type.IsEnum(schema)) return schema.enum.map(literal).join(' | ');
    if (Type.IsUnion(schema)) return [...new Set(schema.anyOf.map((part) => this.typeOf(part, indent)))].join(' | ');
    if (Type.IsTuple(schema)) return `[${schema.items.map((item) => this.typeOf(item, indent)).join(', ')}]`;
    if (Type.IsArray(schema)) return this.arrayOf(schema, indent);
    if (Type.IsObject(schema)) return this.objectOf(schema.properties, indent);
    if (Type.IsString(schema)) return 'string';
    if (Type.IsInteger(schema)) return 'number';
    if (Type.IsBoolean(schema)) return 'boolean';
    if (Type.IsNull(schema)) return 'null';
    if (Type.IsUnknown(schema)) return 'unknown';
    throw new Error(`no type for ${JSON.stringify(schema)}`);
  }

  private arrayOf(schema: TSchema & { items: TSchema }, indent: string): string {
    if ((schema as { maxItems?: number }).maxItems === 0) return '[]';
    const item = this.typeOf(schema.items, indent);
    const list = Type.IsUnion(schema.items) || Type.IsEnum(schema.items) ? `(${item})[]` : `${item}[]`;
    return this.side === 'params' ? `readonly ${list}` : list;
  }

  private objectOf(properties: Record<string, TSchema>, indent: string): string {
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([name, schema]) => {
      const { title, description } = schema as { title?: string; description?: string };
      const mark = Type.IsOptional(schema) ? '?' : '';
      return `${title === undefined ? comment(description, inner) : ''}${inner}${name}${mark}: ${this.typeOf(schema, inner)};\n`;
    });
    return members.length === 0 ? 'object' : `{\n${members.join('')}${indent}}`;
  }
}

/** Names of the members of a result that are 64-bit integers, or arrays of them. @throws Error if other members have such a name */
function u64MembersOf(method: string, result: TSchema): string[] {
  const [exact, other] = [new Set<string>(), new Set<string>()];
  visitIntegers(result, '', (name, schema) => (Type.IsUnsafe(schema) ? exact : other).add(name));
  for (const name of exact) if (other.has(name) || name === '') throw new Error(`${method}: ${name} is ambiguous`);
  return [...exact];
}

function visitIntegers(schema: TSchema, name: string, visit: (name: string, schema: TSchema) => void): void {
  if (Type.IsUnsafe(schema) || Type.IsInteger(schema)) visit(name, schema);
  else if (Type.IsUnion(schema)) for (const part of schema.anyOf) visitIntegers(part, name, visit);
  else if (Type.IsArray(schema)) visitIntegers(schema.items, name, visit);
  else if (Type.IsObject(schema)) {
    for (const [key, part] of Object.entries(schema.properties)) visitIntegers(part, key, visit);
  }
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text} */\n` : '';
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

/** A name with a dot needs quotes. */
function keyOf(name: string): string {
  return /^\w+$/.test(name) ? name : literal(name);
}
