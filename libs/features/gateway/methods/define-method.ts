import { Reader } from '@fresnel/adapters/store-read';
import { type MethodContract, type Page } from '@fresnel/contracts/rpc';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { type Static, type TSchema } from 'typebox';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { type List, nextCursor } from '../present/next-cursor';
import { compileSerializer } from '../responses/compile-serializer';
import { compileListSerializer, itemsText, pageText } from '../responses/list-text';
import { type JsonText } from '../responses/response-text';
import { type CallContext, type RpcMethod } from './rpc-method';

/** Finds what a call asks for, and presents it as JSON text. */
type Answer<Source, Params> = (source: Source, params: Params, context?: CallContext) => Promise<JsonText>;

/**
 * Defines the class of a method.
 *
 * @param source the class of the provider that it answers from
 * @param compile called once for each instance
 */
export function defineMethod<Source, Params>(
  source: Type<Source>,
  { name, parseParams }: MethodContract<Params, TSchema>,
  compile: (options: GatewayOptions) => Answer<Source, Params>,
): Type<RpcMethod> {
  @Injectable()
  class DefinedMethod implements RpcMethod {
    readonly name = name;
    private readonly answer: Answer<Source, Params>;

    constructor(
      @Inject(source) private readonly source: Source,
      @Inject(GATEWAY_OPTIONS) options: GatewayOptions,
    ) {
      this.answer = compile(options);
    }

    async call(params: unknown, context?: CallContext): Promise<JsonText> {
      return this.answer(this.source, parseParams(params), context);
    }
  }
  return DefinedMethod;
}

/** Defines a method that answers from the tables, with a short result. @param find finds and presents the result */
export function defineValueMethod<Params, Result extends TSchema>(
  contract: MethodContract<Params, Result>,
  find: (reader: Reader, params: Params, options: GatewayOptions) => Promise<Static<Result>>,
): Type<RpcMethod> {
  return defineMethod(Reader, contract, (options) => {
    const toJson = compileSerializer(contract.result);
    return async (reader, params) => toJson(await find(reader, params, options));
  });
}

/** What the methods that return lists from the tables differ in. */
interface ListParts<Params, Schema extends TSchema, Item> {
  /** Schema of an item. */
  item: Schema;
  find: (reader: Reader, params: Params) => Promise<{ slot: number; items: List<Item> }>;
  present: (item: Item) => Static<Schema>;
}

/** Defines a method that returns a whole list. */
export function defineListMethod<Params, Schema extends TSchema, Item>(
  contract: MethodContract<Params, TSchema>,
  { item, find, present }: ListParts<Params, Schema, Item>,
): Type<RpcMethod> {
  return defineMethod(Reader, contract, () => {
    const toItemsJson = compileListSerializer(item);
    return async (reader, params, context) => {
      const { slot, items } = await find(reader, params);
      context?.onWork?.({ rows: items.length });
      return itemsText(slot, await toItemsJson(items, present));
    };
  });
}

/** What the paginated methods differ in. */
interface PageParts<Params, Schema extends TSchema, Item> extends ListParts<Params, Schema, Item> {
  find: (reader: Reader, params: Params) => Promise<{ slot: number; items: List<Item>; filteredRows?: number }>;
  encodeCursor: (last: Item) => string;
  /** The name of the list in the result, `items` by default. */
  list?: string;
}

/** Defines a paginated method. */
export function definePageMethod<Params extends Page<unknown>, Schema extends TSchema, Item>(
  contract: MethodContract<Params, TSchema>,
  { item, find, present, encodeCursor, list }: PageParts<Params, Schema, Item>,
): Type<RpcMethod> {
  return defineMethod(Reader, contract, () => {
    const toItemsJson = compileListSerializer(item);
    return async (reader, params, context) => {
      const { slot, items, filteredRows } = await find(reader, params);
      context?.onWork?.({ rows: items.length, filteredRows });
      return pageText(slot, await toItemsJson(items, present), nextCursor(items, params.limit, encodeCursor), list);
    };
  });
}
