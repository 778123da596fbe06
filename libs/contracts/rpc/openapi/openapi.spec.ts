import { Ajv2020 } from 'ajv/dist/2020';
import { METHOD_CONTRACTS, WEBSOCKET_CONTRACTS } from '../contracts';
import { isJsonObject, type JsonObject, toJson } from './json-object';
import { createOpenApi } from './openapi';

const OPERATION_MEMBERS = ['operationId', 'summary', 'description', 'tags', 'requestBody', 'responses'];

function at(document: unknown, ...path: string[]): JsonObject {
  const found = path.reduce<unknown>((part, key) => (isJsonObject(part) ? part[key] : undefined), document);
  if (!isJsonObject(found)) throw new Error(`nothing at ${path.join(' ')}`);
  return found;
}

/** Every `$ref` of a document. */
function referencesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(referencesIn);
  if (!isJsonObject(part)) return [];
  return Object.entries(part).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : referencesIn(value)));
}

const document = toJson(createOpenApi()) as JsonObject;
/** Optimizing the code of a schema takes longer than running it. */
const AJV_OPTIONS = { strict: true, allErrors: true, formats: { uint64: true as const }, code: { optimize: false } };

describe('the OpenAPI document', () => {
  const schemas = at(document, 'components', 'schemas');
  const ajv = new Ajv2020({ ...AJV_OPTIONS, keywords: ['components'] });
  ajv.addSchema({ $id: 'openapi', components: { schemas } });
  /** Compiles a schema of the document. The components that it refers to are compiled once. */
  const compile = (schema: JsonObject) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')) as JsonObject);

  it('contains JSON values only', () => {
    expect(document).toEqual(createOpenApi());
  });

  it('describes every method at its own path, and all of them at the root', () => {
    const paths = Object.keys(at(document, 'paths'));
    expect(paths).toEqual(['/', ...METHOD_CONTRACTS.map(({ name }) => `/${name}`)]);
  });

  it('describes the methods of WebSockets, and their notifications', () => {
    const { description } = at(document, 'info');
    for (const { name } of WEBSOCKET_CONTRACTS) expect(description).toContain(`\`${name}\``);
    const content = at(
      document,
      'webhooks',
      'compressionNotification',
      'post',
      'requestBody',
      'content',
      'application/json',
    );
    const validate = compile(content.schema as JsonObject);
    const frame = (result: object) => ({
      jsonrpc: '2.0',
      method: 'compressionNotification',
      params: { subscription: 1, result },
    });
    expect(validate(frame({ type: 'rollback', slot: 1, blockhash: null }))).toBe(true);
    expect(validate(frame({ type: 'rollback', slot: -1, blockhash: null }))).toBe(false);
  });

  it('has no unresolved reference', () => {
    const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    expect(known).toEqual(expect.arrayContaining(referencesIn(document)));
  });

  it.each(Object.keys(schemas))('has a valid 2020-12 schema %s', (name) => {
    expect(ajv.validateSchema(at(schemas, name))).toBe(true);
    expect(() => compile(at(schemas, name))).not.toThrow();
  });

  it.each(['/', ...METHOD_CONTRACTS.map(({ name }) => `/${name}`)])('has valid examples for %s', (path) => {
    const operation = at(document, 'paths', path, 'post');
    expect(OPERATION_MEMBERS).toEqual(expect.arrayContaining(Object.keys(operation)));
    expect(Object.keys(at(operation, 'responses'))).toEqual(['200', '405', '413', '415', '429', '500', '503']);
    for (const part of [at(operation, 'requestBody'), at(operation, 'responses', '200')]) {
      const { schema, examples } = at(part, 'content', 'application/json');
      const validate = compile(schema as JsonObject);
      for (const { value } of Object.values(examples as Record<string, { value: unknown }>)) {
        validate(value);
        expect(validate.errors ?? []).toEqual([]);
      }
    }
  });

  it('accepts calls and batches at the root, and nothing else', () => {
    const { schema } = at(document, 'paths', '/', 'post', 'requestBody', 'content', 'application/json');
    const validate = compile(schema as JsonObject);
    const call = { jsonrpc: '2.0', id: 7, method: 'getIndexerSlot' };
    const page = { ...call, method: 'getLatestCompressionSignatures', params: { limit: 1, minContextSlot: 4 } };
    expect(
      [call, page, [call, call], [], { ...call, id: 1.5 }, { ...call, method: 'other' }].map((value) =>
        validate(value),
      ),
    ).toEqual([true, true, true, false, false, false]);
  });
});

const ajv = new Ajv2020(AJV_OPTIONS);

describe.each(METHOD_CONTRACTS.map((contract) => [contract.name, contract] as const))(
  'the example of %s',
  (_, contract) => {
    it('has params and a result that match their schemas', () => {
      expect(ajv.compile(contract.params)(toJson(contract.example.params))).toBe(true);
      expect(ajv.compile(contract.result)(toJson(contract.example.result))).toBe(true);
    });
  },
);
