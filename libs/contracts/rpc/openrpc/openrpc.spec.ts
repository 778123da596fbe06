import metaSchema from '@open-rpc/meta-schema';
import Ajv from 'ajv';
import { CONTRACTS } from '../contracts';
import { type AnyMethodContract } from '../method-contract';
import { errorsOf, fullParams } from '../openapi/envelopes';
import { toJson } from '../openapi/json-object';
import { RPC_ERRORS } from '../rpc-errors';
import { createOpenRpc } from './openrpc';

type Schema = Record<string, unknown>;

interface Method {
  name: string;
  paramStructure: 'by-name' | 'by-position';
  params: { name: string; required: boolean; schema: Schema }[];
  'x-params-schema'?: Schema;
  result: { schema: Schema };
  errors: { code: number }[];
  examples: [{ params: { name: string; value: unknown }[]; result: { value: unknown } }];
}

const document = createOpenRpc() as { methods: Method[]; components: { schemas: Record<string, Schema> } };
const contracts = Object.values<AnyMethodContract>(CONTRACTS);

/** Reads schemas as draft 7, which OpenRPC uses. */
const ajv = new Ajv({ strict: true, allErrors: true, formats: { uint64: true, uri: true }, code: { optimize: false } });
ajv.addVocabulary(['components']);
ajv.addSchema({ $id: 'openrpc', components: document.components });
const compile = (schema: Schema) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openrpc#/components/')) as Schema);

function expectValid(schema: Schema, value: unknown): void {
  const validate = compile(schema);
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

describe('the OpenRPC document', () => {
  it('is valid by the official schema', () => {
    // The dialect of its authors is draft 7 with the same meaning of these references.
    const dialect = { $ref: 'http://json-schema.org/draft-07/schema#' };
    const text = JSON.stringify({ ...metaSchema, $schema: undefined })
      .replaceAll('"https://meta.json-schema.tools"', '"http://json-schema.org/draft-07/schema#"')
      .replaceAll(/"https:\/\/meta\.json-schema\.tools\/#\/[^"]*\$ref"/g, `"${dialect.$ref}/properties/$ref"`);
    const validate = new Ajv({ strict: false, formats: { uri: true, regex: true, 'uri-reference': true } }).compile(
      JSON.parse(text) as Schema,
    );
    expect(validate({ ...document, methods: undefined })).toBe(false);
    validate(toJson(document));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('contains JSON values only', () => {
    expect(toJson(document)).toEqual(document);
  });

  it('describes every method, by HTTP and over WebSockets', () => {
    expect(document.methods.map(({ name }) => name)).toEqual(Object.keys(CONTRACTS));
    expect(Object.keys(CONTRACTS)).toEqual(
      expect.arrayContaining(['getIndexerStatus', 'getTreeStatus', 'rpc.discover', 'compressionSubscribe']),
    );
  });

  it.each(Object.keys(document.components.schemas))('has a valid schema %s', (name) => {
    const schema = document.components.schemas[name];
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(() => compile(schema)).not.toThrow();
  });
});

describe.each(contracts.map((contract) => [contract.name, contract] as const))('OpenRPC of %s', (name, contract) => {
  const [method] = document.methods.filter((one) => one.name === name);
  const [example] = method.examples;

  it('has params in the order that positions need, and names that the contract has', () => {
    const { params } = method;
    expect(params.map(({ required }) => required)).toEqual(
      params
        .map(({ required }) => required)
        .sort()
        .reverse(),
    );
    expect(new Set(params.map((param) => param.name)).size).toBe(params.length);
    expect(method.paramStructure).toBe(contract.positions ? 'by-position' : 'by-name');
    const schema = JSON.stringify(fullParams(contract));
    if (!contract.positions) for (const param of params) expect(schema).toContain(`"${param.name}"`);
  });

  it('has an example that fits its params and its result', () => {
    const { params, 'x-params-schema': exact, result } = method;
    const given = example.params.map(({ name: of, value }) => [of, value] as const);
    for (const [of, value] of given) {
      const param = params.find((one) => one.name === of);
      expectValid(param?.schema ?? { not: {} }, value);
    }
    const required = params.filter((param) => param.required).map((param) => param.name);
    expect(given.map(([of]) => of)).toEqual(expect.arrayContaining(required));
    if (exact) expectValid(exact, toJson(contract.example.params));
    expectValid(result.schema, example.result.value);
  });

  it('has the errors of the contract, each code once', () => {
    const codes = method.errors.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const expected = errorsOf(contract).map(({ kind }) => RPC_ERRORS[kind].code);
    expect(codes).toEqual(expect.arrayContaining([...expected, RPC_ERRORS.tooManyRequests.code]));
  });
});
