import { BASE58_PATTERN } from '@fresnel/contracts/rpc';
import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';
import { type Static, type TSchema } from 'typebox';

/** Compiles a function that writes values of a schema as JSON, with all digits of 64-bit integers. */
export function compileSerializer<Schema extends TSchema>(schema: Schema): (value: Static<Schema>) => string {
  return fastJsonStringify(toSerializerSchema(schema) as AnySchema);
}

/**
 * Replaces `anyOf: [X, null]` by X with `nullable: true`. For an `anyOf` the serializer would try each branch with a
 * validator, which is slow and does not accept a bigint as an integer.
 */
function toSerializerSchema(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(toSerializerSchema);
  if (typeof part !== 'object' || part === null) return part;
  if ('anyOf' in part) return { ...convertMembers(nonNullBranch(part.anyOf)), nullable: true };
  return convertMembers(part);
}

function convertMembers(schema: object): object {
  if (isPlainText(schema)) return { type: 'string', format: 'unsafe' };
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, toSerializerSchema(part)]));
}

/** Nothing in base58 or base64 has to be escaped, so the serializer does not have to look for it. */
function isPlainText(schema: object): boolean {
  return 'contentEncoding' in schema || ('pattern' in schema && schema.pattern === BASE58_PATTERN);
}

function nonNullBranch(branches: unknown): object {
  const [branch, nullBranch] = branches as [object, { type: string }];
  if (nullBranch.type !== 'null') throw new TypeError('a union in a result schema must be a type or null');
  return branch;
}
