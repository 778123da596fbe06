import { compareOpenApi, type OpenApi } from './openapi';
import { type Schema } from './schema-comparison';

const content = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const SLOT: Schema = { $ref: '#/components/schemas/Slot' };

/** A document with one method and one notification. */
const document = (
  { request = { hash: {} }, response = { slot: SLOT }, frame = { type: {} }, statuses = ['200', '429'] } = {},
  { method = 'getAccount', slot = { type: 'integer' } } = {},
): OpenApi => ({
  paths: {
    [`/${method}`]: {
      post: {
        requestBody: content(object(request)),
        responses: Object.fromEntries(statuses.map((status) => [status, content(object(response))])),
      },
    },
  },
  webhooks: { compressionNotification: { post: { requestBody: content(object(frame)) } } },
  components: { schemas: { Slot: slot } },
});

const breaches = (now: OpenApi, released = document()) =>
  compareOpenApi(released, now).map(({ of, problem }) => `${of}: ${problem}`);

describe('the rule for OpenAPI', () => {
  it('permits further methods and HTTP statuses', () => {
    const now = document({ statuses: ['200', '429', '503'] });
    Object.assign(now.paths, document({}, { method: 'getNew' }).paths);
    expect(breaches(now)).toEqual([]);
  });

  it('refuses that a method or an HTTP status is gone', () => {
    expect(breaches(document({}, { method: 'getOther' }))).toEqual(['method getAccount: is gone']);
    expect(breaches(document({ statuses: ['200'] }))).toEqual(['method getAccount: HTTP status 429 is gone']);
  });

  it('compares params as what clients write, and results as what the gateway writes', () => {
    expect(breaches(document({ request: { hash: {}, tree: {} } as never }))).toEqual([
      'method getAccount: request.tree is required and was not',
    ]);
    expect(breaches(document({ response: { slot: SLOT, hash: {} } as never, statuses: ['200', '429'] }))).toHaveLength(
      2,
    );
    expect(breaches(document({}, { slot: { type: 'string' } }))).toContain(
      'method getAccount: response.slot: type was integer and is string',
    );
  });

  it('permits results that Photon lacks, and notifications, to grow', () => {
    const grown = { response: { slot: SLOT, more: {} } as never };
    const [released, now] = [document({}, { method: 'getTreeStatus' }), document(grown, { method: 'getTreeStatus' })];
    expect(breaches(now, released)).toEqual([]);
    expect(breaches(document({ frame: { type: {}, more: {} } as never }))).toEqual([]);
  });

  it('refuses that a notification, or a member of one, is gone', () => {
    expect(breaches(document({ frame: {} as never }))).toEqual([
      'notification compressionNotification: frame.type is gone',
    ]);
    expect(breaches({ ...document(), webhooks: {} })).toEqual(['notification compressionNotification: is gone']);
  });
});
