import { type TObject, type TSchema, Type } from 'typebox';
import { type AnyMethodContract, type MethodError } from '../method-contract';
import { closedObject } from '../schemas/closed-object';
import { nullable } from '../schemas/scalars';

const Version = Type.Literal('2.0');

const RequestId = Type.Union([Type.String(), Type.Integer(), Type.Null()], {
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

const minContextSlot = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 0,
      description: 'The answer is at least as new as this slot: the call waits for it, up to two seconds.',
    }),
  ),
);

/** The form of params that is an object. Undefined if they are only an array. */
export function objectForm(params: TSchema): TObject | undefined {
  if (Type.IsObject(params)) return params;
  return Type.IsUnion(params) ? params.anyOf.map(objectForm).find((form) => form !== undefined) : undefined;
}

/** The errors of a method. Params that are an object can have the member `minContextSlot`. */
export function errorsOf({ params, errors }: AnyMethodContract): readonly MethodError[] {
  if (!objectForm(params)) return errors;
  return [...errors, { kind: 'minContextSlotNotReached', when: 'minContextSlot was not reached in time' }];
}

function withMinContextSlot(params: TSchema): TSchema {
  const { description } = params as { description?: string };
  const options = description === undefined ? {} : { description };
  if (Type.IsUnion(params)) return Type.Union(params.anyOf.map(withMinContextSlot), options);
  return Type.IsObject(params) ? closedObject({ ...params.properties, minContextSlot }, options) : params;
}

/** Schema of `params` with the members that the gateway reads before the method does. */
export function fullParams({ params }: AnyMethodContract): TSchema {
  return withMinContextSlot(params);
}

/** Schema of a request. Other members are ignored. */
export function requestEnvelope(contract: AnyMethodContract) {
  const schema = fullParams(contract);
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
