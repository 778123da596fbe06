import { type TSchema, Type } from 'typebox';
import { CONTRACTS } from '../contracts';
import { type AnyMethodContract } from '../method-contract';
import { errorsOf, fullParams, objectForm } from '../openapi/envelopes';
import { isJsonObject, type JsonObject, toJson } from '../openapi/json-object';
import { SchemaComponents } from '../openapi/schema-components';
import { RPC_ERRORS } from '../rpc-errors';

const DESCRIPTION = `Compressed accounts and compressed tokens on Solana, as JSON-RPC 2.0 over POST to the server that has this document.
\`/openapi.json\` describes batches, HTTP statuses and rate limits. Integers up to 2^64-1 are written with all digits.`;

/** Builds the OpenRPC 1.3 document of the gateway from the method contracts. Its schemas are of draft 7. */
export function createOpenRpc(): JsonObject {
  const components = new SchemaComponents();
  const toSchema = (schema: TSchema) => components.refer(toJson(schema) as JsonObject);
  const methods = Object.values<AnyMethodContract>(CONTRACTS).map((contract) => describeMethod(contract, toSchema));
  return {
    openrpc: '1.3.2',
    info: { title: 'Fresnel', version: '0.50.0', description: DESCRIPTION, license: { name: 'Apache-2.0' } },
    methods,
    components: { schemas: components.entries },
  };
}

type ToSchema = (schema: TSchema) => JsonObject;

function describeMethod(contract: AnyMethodContract, toSchema: ToSchema): JsonObject {
  const { name, summary, description, isOverWebSocket, cost, result, example } = contract;
  const params = paramsOf(contract);
  const exact = fullParams(contract);
  return {
    name,
    tags: [{ name: isOverWebSocket ? 'websocket' : 'http' }],
    summary,
    description: [isOverWebSocket && 'It is called over a WebSocket at `/`.', description, noteOf(exact), cost.formula]
      .filter(Boolean)
      .join(' '),
    paramStructure: contract.positions ? 'by-position' : 'by-name',
    params: params.map(({ schema, ...param }) => ({ ...param, schema: toSchema(schema) })),
    // A list of any length is one param above.
    ...(Type.IsArray(exact) && { 'x-params-schema': toSchema(exact) }),
    result: { name: 'result', schema: toSchema(result) },
    errors: describeErrors(contract),
    examples: [{ name, params: exampleOf(contract), result: { name: 'result', value: toJson(example.result) } }],
  };
}

/** What the schema says of all params together. */
function noteOf(params: TSchema): string | undefined {
  const { description } = params as { description?: string };
  return description;
}

interface Param {
  readonly name: string;
  readonly required: boolean;
  readonly schema: TSchema;
}

/** The params by name, or in the order of their places. Required ones are first. */
function paramsOf(contract: AnyMethodContract): Param[] {
  const params = fullParams(contract);
  const form = objectForm(params);
  if (form) {
    const members = Object.entries(form.properties).map(([name, schema]) => ({
      name,
      required: !Type.IsOptional(schema),
      schema,
    }));
    return members.sort((one, other) => Number(other.required) - Number(one.required));
  }
  return (contract.positions ?? []).map((name, at) => ({ name, ...placeOf(params, at) }));
}

/** The param at a place of an array, which may have several lengths. */
function placeOf(params: TSchema, at: number): Omit<Param, 'name'> {
  if (Type.IsArray(params)) {
    const { minItems = 0 } = params as { minItems?: number };
    return { required: minItems > at, schema: params.items };
  }
  const forms = Type.IsUnion(params) ? params.anyOf : [params];
  const tuples = forms.filter((form) => Type.IsTuple(form)).filter(({ items }) => items.length > at);
  const [tuple] = tuples;
  return { required: tuples.length === forms.length, schema: tuple.items[at] };
}

/** The values of the example by name, or in the order of their places. */
function exampleOf({ example, positions }: AnyMethodContract): JsonObject[] {
  const params = toJson(example.params);
  if (Array.isArray(params)) {
    return params.map((value: unknown, at) => ({ name: positions?.[at] ?? positions?.at(-1) ?? '', value }));
  }
  return isJsonObject(params) ? Object.entries(params).map(([name, value]) => ({ name, value })) : [];
}

/** OpenRPC allows each code once. */
function describeErrors(contract: AnyMethodContract): JsonObject[] {
  const { internalError, overloaded, tooManyRequests } = RPC_ERRORS;
  const errors = [
    ...errorsOf(contract).map(({ kind, when }) => ({ code: RPC_ERRORS[kind].code, sentence: sentenceOf(when) })),
    ...[internalError, overloaded, tooManyRequests].map(({ code, meaning }) => ({ code, sentence: meaning })),
  ];
  const codes = [...new Set(errors.map(({ code }) => code))];
  return codes.map((code) => ({
    code,
    message: errors
      .filter((error) => error.code === code)
      .map(({ sentence }) => sentence)
      .join(' '),
  }));
}

function sentenceOf(when: string): string {
  return `${when.charAt(0).toUpperCase()}${when.slice(1)}.`;
}
