import { type TSchema, Type } from 'typebox';
import { METHOD_CONTRACTS, WEBSOCKET_CONTRACTS } from '../contracts';
import { BODY_COST_FORMULA, NODE_COST } from '../cost';
import { type AnyMethodContract } from '../method-contract';
import { RPC_ERRORS, type RpcErrorKind } from '../rpc-errors';
import { ErrorEnvelope, errorsOf, requestEnvelope, responseEnvelope } from './envelopes';
import { PushNotification, SubscriptionId } from '../schemas/push-notification';
import { type JsonObject, toJson } from './json-object';
import { SchemaComponents } from './schema-components';

const JSON_TYPE = 'application/json';

const DESCRIPTION = `Compressed accounts and compressed tokens on Solana, as JSON-RPC 2.0 over POST.

Call a method at \`/\` or at \`/<method>\`. At \`/<method>\`, the member \`method\` must equal the path. An array is a batch: the response is
an array with one response for each entry, in the same order. Each entry is read from its own snapshot. An internal error has HTTP
status 500, and 200 in a batch.

A client has a number of points for each window. Points that are taken after an answer may exceed them; then the window is longer.
${BODY_COST_FORMULA}
A call of an unknown method, and one that is not a valid request, cost one point. A call with invalid params costs what the formula of its
method counts in them. One that runs out of time costs all that its params allow. A call of a batch costs the same as alone.

A gateway may forward other methods of Solana nodes, such as \`getLatestBlockhash\`, to a node, and return its results and errors
unchanged. ${NODE_COST.formula}

\`context.slot\` is the indexed slot of the snapshot that the result was read from. A call whose params are an object can have the
member \`minContextSlot\`: it waits until this slot is indexed, up to two seconds. Integers up to 2^64-1 are written with all digits.

## Subscriptions

Over a WebSocket at \`/\`, with one JSON-RPC object a frame of at most 64 KiB, these methods exist as well. The webhook
\`compressionNotification\` below has the notifications of a subscription.

${WEBSOCKET_CONTRACTS.map(describeSubscription).join('\n')}`;

function describeSubscription({ name, summary, description, example, cost, errors }: AnyMethodContract): string {
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: example.params });
  const failures = errors.map(({ kind, when }) => `${RPC_ERRORS[kind].code}: ${when}.`).join(' ');
  return `- \`${name}\`: ${[summary, description, cost.formula, failures].filter(Boolean).join(' ')} Example: \`${call}\``;
}

/** Builds the OpenAPI 3.1 document of the gateway from the method contracts. */
export function createOpenApi(): JsonObject {
  const components = new SchemaComponents();
  const toSchema = (schema: TSchema) => components.refer(toJson(schema) as JsonObject);
  const paths = {
    '/': { post: anyMethod(toSchema) },
    ...Object.fromEntries(
      METHOD_CONTRACTS.map((contract) => [`/${contract.name}`, { post: oneMethod(contract, toSchema) }]),
    ),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fresnel',
      version: '0.50.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [{ name: 'methods' }],
    paths,
    webhooks: { compressionNotification: { post: notification(toSchema) } },
    components: { schemas: components.entries },
  };
}

/** A frame that the gateway sends. */
function notification(toSchema: ToSchema): JsonObject {
  const frame = Type.Object({
    jsonrpc: Type.Literal('2.0'),
    method: Type.Literal('compressionNotification'),
    params: Type.Object({ subscription: SubscriptionId, result: PushNotification }),
  });
  return {
    operationId: 'compressionNotification',
    summary: 'A frame for a subscription, over its WebSocket.',
    requestBody: { content: { [JSON_TYPE]: { schema: toSchema(frame) } } },
    responses: { default: { description: 'None: a client does not answer.' } },
  };
}

type ToSchema = (schema: TSchema) => JsonObject;

function anyMethod(toSchema: ToSchema): JsonObject {
  const request = Type.Union(METHOD_CONTRACTS.map(requestEnvelope));
  const response = Type.Union(METHOD_CONTRACTS.map(responseEnvelope));
  return {
    operationId: 'call',
    summary: 'A call of any method, or a batch of calls.',
    tags: ['methods'],
    requestBody: content(toSchema(Type.Union([request, Type.Array(request, { minItems: 1 })])), METHOD_CONTRACTS),
    responses: responses(toSchema, Type.Union([response, Type.Array(response)]), [], METHOD_CONTRACTS),
  };
}

function oneMethod(contract: AnyMethodContract, toSchema: ToSchema): JsonObject {
  return {
    operationId: contract.name,
    summary: contract.summary,
    description: [contract.description, contract.cost.formula].filter(Boolean).join(' '),
    tags: ['methods'],
    requestBody: content(toSchema(requestEnvelope(contract)), [contract]),
    responses: responses(toSchema, responseEnvelope(contract), errorsOf(contract), [contract]),
  };
}

function content(schema: JsonObject, contracts: readonly AnyMethodContract[]): JsonObject {
  const examples = byName(contracts, ({ name, example }) => ({
    jsonrpc: '2.0',
    id: '1',
    method: name,
    params: example.params,
  }));
  return { required: true, content: { [JSON_TYPE]: { schema, examples } } };
}

function responses(
  toSchema: ToSchema,
  success: TSchema,
  errors: AnyMethodContract['errors'],
  contracts: readonly AnyMethodContract[],
): JsonObject {
  const own = errors.map(({ kind, when }) => `${RPC_ERRORS[kind].code}: ${when}.`);
  const general = [RPC_ERRORS.parseError, RPC_ERRORS.invalidRequest, RPC_ERRORS.methodNotFound].map(describe);
  const examples = byName(contracts, ({ example }) => ({ jsonrpc: '2.0', id: '1', result: example.result }));
  const failed = (description: string) => ({
    description,
    content: { [JSON_TYPE]: { schema: toSchema(ErrorEnvelope) } },
  });
  return {
    '200': {
      description: ['A result or an error.', ...own, ...general].join('\n\n'),
      content: { [JSON_TYPE]: { schema: toSchema(success), examples } },
    },
    '405': failed('The HTTP method is not POST.'),
    '413': failed('The body is too large.'),
    '415': failed('The body is not application/json in UTF-8, or it is compressed.'),
    '429': { ...failed(describe(RPC_ERRORS.tooManyRequests)), headers: RATE_LIMIT_HEADERS },
    '500': failed(describe(RPC_ERRORS.internalError)),
    '503': {
      ...failed(describe(RPC_ERRORS.overloaded)),
      headers: { 'Retry-After': RATE_LIMIT_HEADERS['Retry-After'] },
    },
  };
}

/** OpenAPI examples by method name. */
function byName(
  contracts: readonly AnyMethodContract[],
  exampleOf: (contract: AnyMethodContract) => JsonObject,
): JsonObject {
  return Object.fromEntries(contracts.map((contract) => [contract.name, { value: toJson(exampleOf(contract)) }]));
}

function describe({ code, meaning }: RpcErrorKind): string {
  return `${code}: ${meaning}`;
}

const RATE_LIMIT_HEADERS = {
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'integer', minimum: 1 } },
  RateLimit: { description: 'Points left (r), and seconds until the window ends (t).', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: 'Points of a window (q), and its length in seconds (w).',
    schema: { type: 'string' },
  },
};
