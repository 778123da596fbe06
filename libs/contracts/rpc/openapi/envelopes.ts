import { type TObject, type TSchema, Type } from 'typebox';
import { type AnyMethodContract } from '../method-contract';
import { closedObject } from '../schemas/closed-object';
import { nullable } from '../schemas/scalars';

const Version = Type.Literal('2.0');

export const RequestId = Type.Union([Type.String(), Type.Integer(), Type.Null()], {
  title: 'RequestId',
  description: 'The response has the same id. An integer must be between -(2^53-1) and 2^53-1.',
});

export const ErrorEnvelope = closedObject(
  {
    jsonrpc: Version,
    id: RequestId,
    error: closedObject({
      code: Type.Integer(),
      message: Type.String(),
      data: Type.Optional(closedObject({ contextSlot: Type.Integer({ minimum: 0 }) })),
    }),
  },
  { title: 'ErrorResponse' },
);

/** Whether the params are an object. Then they can have the member `minContextSlot`. */
export function acceptsMinContextSlot({ params }: AnyMethodContract): boolean {
  return Type.IsObject(params);
}

function withMinContextSlot(params: TSchema): TSchema {
  if (!Type.IsObject(params)) return params;
  const { properties, description } = params as TObject & { description?: string };
  const minContextSlot = Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        description: 'The answer is at least as new as this slot: the call waits for it, up to two seconds.',
      }),
    ),
  );
  return closedObject({ ...properties, minContextSlot }, description === undefined ? {} : { description });
}

/** Schema of a request. Other members are ignored. */
export function requestEnvelope(contract: AnyMethodContract) {
  const schema = acceptsMinContextSlot(contract) ? withMinContextSlot(contract.params) : contract.params;
  const params = contract.isParamsOptional ? Type.Optional(schema) : schema;
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
