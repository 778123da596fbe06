import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { sendHttp } from '@fresnel/testing/generic';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';

/** A response to a call. It has a result or an error. */
export interface RpcReply {
  status: number;
  /** The body. */
  text: string;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Sends calls to a gateway, and expects of each response what the contract says of all of them. */
export class RpcChecker {
  private readonly ajv = new Ajv2020({ strict: true, formats: { uint64: true }, code: { optimize: false } });

  /** @param url where the gateway listens, once it does */
  constructor(private readonly url: () => string) {}

  /** Sends a call to both URL forms and expects the same response, with a result that fits the contract. */
  async call(method: string, params?: unknown): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'test-account', method, params });
    const [atRoot, atPath] = await Promise.all([
      sendHttp(this.url(), { body }),
      sendHttp(`${this.url()}/${method}`, { body }),
    ]);
    expect([atPath.status, atPath.text]).toEqual([atRoot.status, atRoot.text]);
    const { jsonrpc, id, ...rest } = JSON.parse(atRoot.text) as Omit<RpcReply, 'text'> & {
      jsonrpc: string;
      id: string;
    };
    expect([jsonrpc, id, Object.keys(rest).length]).toEqual(['2.0', 'test-account', 1]);
    if ('result' in rest) {
      const validate = this.validatorOf(method);
      validate?.(rest.result);
      expect(validate?.errors ?? null).toBeNull();
    }
    return { ...rest, status: atRoot.status, text: atRoot.text };
  }

  /** Compiles the schema when it is first used, because that takes time. Ajv remembers the schemas that it compiled. */
  private validatorOf(method: string): ValidateFunction | undefined {
    const contract = METHOD_CONTRACTS.find(({ name }) => name === method);
    return contract && this.ajv.compile(contract.result);
  }

  /** The result of a call that must succeed. */
  async result(method: string, params?: unknown): Promise<unknown> {
    const { status, result, error } = await this.call(method, params);
    expect([status, error]).toEqual([200, undefined]);
    return result;
  }

  /** The error of a call that the gateway must answer with one. */
  async errorOf(method: string, params?: unknown): Promise<unknown> {
    const { status, error } = await this.call(method, params);
    expect(status).toBe(200);
    return error;
  }
}

/**
 * Reads all pages of a list, and expects a cursor of every full page and null of the last.
 *
 * @param subject the params without the page
 * @param after cursor of the page before the first one; null: none
 * @param list the name of the list in the result
 */
export async function readAllPages<Item>(
  rpc: RpcChecker,
  method: string,
  subject: object,
  limit: number,
  after: string | null = null,
  list = 'items',
): Promise<Item[]> {
  const all: Item[] = [];
  for (let cursor = after; ;) {
    const { value } = (await rpc.result(method, { ...subject, limit, cursor })) as { value: Record<string, unknown> };
    const items = value[list] as Item[];
    all.push(...items);
    cursor = value.cursor as string | null;
    expect(cursor === null).toBe(items.length < limit);
    if (cursor === null) return all;
  }
}
