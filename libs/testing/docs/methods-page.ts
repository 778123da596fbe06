import { type AnyMethodContract, METHOD_CONTRACTS, RPC_ERRORS, WEBSOCKET_CONTRACTS } from '@fresnel/contracts/rpc';
import { parseForwardedMethods } from '@fresnel/features/gateway';
import { code, markdownTable } from './markdown-table';

/** @returns `docs/methods.md` */
export function writeMethodsPage(): string {
  const { always, onPrivateChains } = parseForwardedMethods('default');
  return `<!-- Written by "npm run docs:make" from the contracts of the methods. Do not edit. -->

# Methods

Send JSON-RPC 2.0 as \`POST /\` or \`POST /<method>\`, single requests or batches. A running gateway has the exact contract, with
examples, limits and the points that a call costs, at \`/openapi.json\` (OpenAPI 3.1) and \`/openrpc.json\` (OpenRPC 1.3), and a page to try
the methods at \`/docs\`.

- Integers up to 2^64 - 1 are JSON numbers with all digits. A client that parses them as doubles loses the last ones.
- \`context.slot\` of a result is the indexed slot of the snapshot that it was read from.
- A call whose params are an object can have \`minContextSlot\`: it waits until this slot is indexed, up to two seconds.
- Proofs may be as of a slot after the indexed one. Where several provers run, a second proof can be as of a slot before that of the first one, by
  up to half a second, unless the call has \`minContextSlot\`.
- Optional params are marked with \`?\`.

${markdownTable(['Method', 'Params', 'Result'], METHOD_CONTRACTS.map(methodRow))}
\`getAccountInterface\` and \`getMultipleAccountInterfaces\` ask the node at \`SOLANA_RPC_URL\` for accounts on the chain. If it is not set, or
does not answer, they find compressed accounts only.

## Subscriptions

These methods are called over a WebSocket, also at \`/\`. [Subscriptions](subscriptions.md) has the notifications that follow.

${markdownTable(
  ['Method', 'Params', 'Result'],
  WEBSOCKET_CONTRACTS.map(({ name, summary, example }) => [code(name), code(JSON.stringify(example.params)), summary]),
)}
## Errors

${markdownTable(['Code', 'HTTP status', 'Meaning'], Object.values(RPC_ERRORS).map(errorRow))}
## Methods of Solana nodes

With \`UPSTREAM_RPC_PASSTHROUGH=default\` the gateway forwards the methods that wallets use to the node at \`SOLANA_RPC_URL\`, and returns
results and errors unchanged. A client such as stateless.js then needs one URL: \`createRpc(url)\`. \`default\` stands for
${always.map(code).join(', ')}; and ${onPrivateChains.map(code).join(', ')} on chains that are no public cluster.

Others are added by name: \`UPSTREAM_RPC_PASSTHROUGH=default,getProgramAccounts\`. With any of them, subscriptions are forwarded to the
WebSocket of the node as well: accounts, logs, programs, signatures and slots. Clients connect at \`/\` of \`GATEWAY_PORT\`, or, as web3.js does
with a URL that names a port, at the port after it, which is \`GATEWAY_WS_PORT\`. A connection that closes because of the node or the
gateway has to be opened again.

With several URLs, a read is asked of each until one answers, \`sendTransaction\` of the next one if a node did not take it, and
\`requestAirdrop\` of the first alone. Errors about the request itself are final. HTTP status 400 and 429 of a node go on with its error.

## Health

\`GET /liveness\` and \`GET /readiness\` of the gateway answer like the methods of these names: 200 if the result is null, and the HTTP
status of the error otherwise. \`GET /health\` answers as Solana nodes do: \`ok\`, \`behind N\` slots, or \`unknown\`. The health of a process, for a cluster, is on a port of its own: see
[Operations](operations.md#health-and-shutdown).
`;
}

function methodRow({ name, params, summary }: AnyMethodContract): string[] {
  return [code(name), describeParams(params), summary];
}

function errorRow({ code: number, httpStatus, meaning }: (typeof RPC_ERRORS)[keyof typeof RPC_ERRORS]): string[] {
  return [String(number), String(httpStatus), meaning];
}

/** The part of a schema that names params. */
interface ParamsSchema {
  readonly title?: string;
  readonly properties?: Record<string, unknown>;
  readonly required?: readonly string[];
  readonly items?: ParamsSchema;
  readonly anyOf?: readonly ParamsSchema[];
}

/** Names of params, optional ones with a question mark. The first of several forms is the object. */
function describeParams({ anyOf, items, properties = {}, required = [] }: ParamsSchema): string {
  if (anyOf) return describeParams(anyOf[0]);
  if (items?.properties) return `list of { ${describeParams(items)} }`;
  if (items) return `list of ${items.title === 'Hash' ? 'hashes' : 'addresses'}`;
  return Object.keys(properties)
    .map((name) => code(required.includes(name) ? name : `${name}?`))
    .join(', ');
}
