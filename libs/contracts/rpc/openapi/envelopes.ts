import { type TSchema, Type } from 'typebox';
import { type AnyMethodContract } from '../method-contract';
import { closedObject } from '../schemas/closed-object';

const Version = Type.Literal('2.0');

export const RequestId = Type.Union([Type.String(), Type.Integer(), Type.Null()], {
  title: 'RequestId',
  description: 'The response has the same id. An integer must be between -(2^53-1) and 2^53-1.',
});

export const ErrorEnvelope = closedObject(
  {
    jsonrpc: Version,
    id: RequestId,
    error: closedObject({ code: Type.Integer(), message: Type.String() }),
  },
  { title: 'ErrorResponse' },
);

/** Schema of a request. Other members are ignored. */
export function requestEnvelope(contract: AnyMethodContract) {
  const params = contract.isParamsOptional ? Type.Optional(contract.params) : contract.params;
  return Type.Object(
    { jsonrpc: Version, id: RequestId, method: Type.Literal(contract.name), params },
    { title: `${capitalize(contract.name)}Request` },
  );
}

/** Schema of a response: a result or an error, never both. */
export function responseEnvelope(contract: AnyMethodContract): TSchema {
  return Type.Union([
    closedObject(
      { jsonrpc: Version, id: RequestId, result: contract.result },
      { title: `${capitalize(contract.name)}Response` },
    ),
    ErrorEnvelope,
  ]);
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
