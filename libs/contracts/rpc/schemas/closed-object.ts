import { type TObjectOptions, type TProperties, Type } from 'typebox';

/** Schema of an object with these members and no others. */
export function closedObject<Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}
