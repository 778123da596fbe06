import { type Breach } from './breach';
import { type Schema, SchemaComparison, type Schemas } from './schema-comparison';

interface Method {
  name: string;
  /** `http` or `websocket`. */
  tags: { name: string }[];
  params: { schema: Schema; required: boolean }[];
  result: { schema: Schema };
  errors: { code: number }[];
}

/** The part of an OpenRPC document that the OpenAPI document does not have. */
export interface OpenRpc {
  methods: Method[];
  components: { schemas: Schemas };
}

/** No method or code of an error is gone. Methods of WebSockets take the same params, in the same order, and have the same result. */
export function compareOpenRpc(released: OpenRpc, now: OpenRpc): Breach[] {
  const schemas = { released: released.components.schemas, now: now.components.schemas };
  const params = new SchemaComparison({ ...schemas, writer: 'client' });
  const results = new SchemaComparison({ ...schemas, writer: 'gateway' });

  const compareMethod = (before: Method, after: Method): string[] => {
    const codes = before.errors.filter(({ code }) => !after.errors.some((error) => error.code === code));
    const gone = codes.map(({ code }) => `error ${code} is gone`);
    if (!before.tags.some(({ name }) => name === 'websocket')) return gone;
    const places = before.params.flatMap(({ schema }, at) =>
      at < after.params.length
        ? params.compare(schema, after.params[at].schema, `params[${at}]`)
        : [`params[${at}] is gone`],
    );
    const required = after.params.flatMap((param, at) =>
      param.required && !before.params.at(at)?.required ? [`params[${at}] is required and was not`] : [],
    );
    return [...gone, ...places, ...required, ...results.compare(before.result.schema, after.result.schema, 'result')];
  };

  return released.methods.flatMap((method): Breach[] => {
    const of = `method ${method.name}`;
    const present = now.methods.find(({ name }) => name === method.name);
    if (!present) return [{ of, problem: 'is gone' }];
    return compareMethod(method, present).map((problem) => ({ of, problem: problem }));
  });
}
