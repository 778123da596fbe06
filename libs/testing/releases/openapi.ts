import { type Breach } from './breach';
import { type ComparisonOptions, type Schema, SchemaComparison, type Schemas } from './schema-comparison';

interface Content {
  content: Record<string, { schema: Schema }>;
}

interface Operation {
  requestBody: Content;
  /** By HTTP status. */
  responses: Record<string, Content>;
}

/** The part of an OpenAPI document that clients rely on. */
export interface OpenApi {
  paths: Record<string, { post: Operation }>;
  webhooks: Record<string, { post: Pick<Operation, 'requestBody'> }>;
  components: { schemas: Schemas };
}

/** Photon does not have their results. */
const MAY_GROW = ['getIndexerStatus', 'getTreeStatus'];
/** All methods together. Each has a path of its own, too. */
const ANY_METHOD = '/';
const JSON_TYPE = 'application/json';

/** No method, parameter, member of a result, HTTP status or notification is gone, or has other values. */
export function compareOpenApi(released: OpenApi, now: OpenApi): Breach[] {
  const compareAs = (
    options: Pick<ComparisonOptions, 'writer' | 'mayGrow'>,
    one: Content,
    other: Content,
    path: string,
  ) =>
    new SchemaComparison({
      released: released.components.schemas,
      now: now.components.schemas,
      ...options,
    }).compare(schemaOf(one), schemaOf(other), path);

  const compareResponses = (name: string, one: Operation['responses'], other: Operation['responses']) =>
    Object.entries(one).flatMap(([status, response]) => {
      if (!(status in other)) return [`HTTP status ${status} is gone`];
      const options = { writer: 'gateway', mayGrow: MAY_GROW.includes(name) } as const;
      return compareAs(options, response, other[status], 'response');
    });

  const methods = Object.entries(released.paths).flatMap(([path, { post }]) => {
    const name = path.slice(1);
    if (!(path in now.paths)) return [{ of: `method ${name}`, problem: 'is gone' }];
    if (path === ANY_METHOD) return [];
    const { requestBody, responses } = now.paths[path].post;
    const problems = [
      ...compareAs({ writer: 'client' }, post.requestBody, requestBody, 'request'),
      ...compareResponses(name, post.responses, responses),
    ];
    return problems.map((problem) => ({ of: `method ${name}`, problem: problem }));
  });

  const notifications = Object.entries(released.webhooks).flatMap(([name, { post }]) => {
    if (!(name in now.webhooks)) return [{ of: `notification ${name}`, problem: 'is gone' }];
    const { requestBody } = now.webhooks[name].post;
    const problems = compareAs({ writer: 'gateway', mayGrow: true }, post.requestBody, requestBody, 'frame');
    return problems.map((problem) => ({ of: `notification ${name}`, problem: problem }));
  });
  return [...methods, ...notifications];
}

function schemaOf({ content }: Content): Schema {
  return content[JSON_TYPE].schema;
}
