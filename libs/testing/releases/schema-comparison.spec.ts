import { type ComparisonOptions, type Schema, SchemaComparison } from './schema-comparison';

type Options = Partial<ComparisonOptions>;

const compare = (writer: 'client' | 'gateway', released: Schema, now: Schema, options: Options = {}) =>
  new SchemaComparison({ released: {}, now: {}, writer, ...options }).compare(released, now, 'x');
const params = (released: Schema, now: Schema, options?: Options) => compare('client', released, now, options);
const result = (released: Schema, now: Schema, options?: Options) => compare('gateway', released, now, options);

const integer: Schema = { type: 'integer' };
const text: Schema = { type: 'string' };
const none: Schema = { type: 'null' };
const closed = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe.each([
  ['params', params],
  ['a result', result],
])('the rule for the schema of %s', (_, both) => {
  it('permits the same values, other texts, and another place of a definition', () => {
    const schema = closed({ limit: integer }, 'limit');
    const described = closed({ limit: { ...integer, description: 'A number', title: 'Limit' } }, 'limit');
    expect(both(schema, described)).toEqual([]);
    const now = { List: closed({ limit: integer }, 'limit') };
    expect(both(schema, { $ref: '#/components/schemas/List' }, { now })).toEqual([]);
  });

  it('refuses another type, in lists and members too', () => {
    expect(both(integer, text)).toEqual(['x: type was integer and is string']);
    expect(both({ type: 'array', items: integer }, { type: 'array', items: text })).toEqual([
      'x[]: type was integer and is string',
    ]);
    expect(both(closed({ slot: integer }), closed({ slot: text }))).toEqual(['x.slot: type was integer and is string']);
  });

  it('refuses that a member goes, also in a definition', () => {
    expect(both(closed({ slot: integer, hash: text }), closed({ slot: integer }))).toEqual(['x.hash is gone']);
    const [released, now] = [{ Place: closed({ hash: text }) }, { Place: closed({}) }];
    const reference = { $ref: '#/components/schemas/Place' };
    expect(both(reference, reference, { released, now })).toEqual(['x.hash is gone']);
  });

  it('refuses that a form goes', () => {
    expect(both({ anyOf: [text, none] }, text)).toEqual(['x: only one version has the form null']);
  });

  it('refuses another default', () => {
    expect(both({ ...integer, default: 10 }, { ...integer, default: 20 })).toEqual(['x: default was 10 and is 20']);
  });

  it('fails for keywords that have no rule', () => {
    expect(() => both(text, { ...text, not: {} } as Schema)).toThrow('no rule for not');
  });
});

describe('the rule for the schema of params', () => {
  it('permits further members, forms and values', () => {
    expect(params(closed({ limit: integer }), closed({ limit: integer, cursor: text }))).toEqual([]);
    expect(params(text, { anyOf: [none, text] })).toEqual([]);
    expect(params({ ...text, enum: ['a'] }, { ...text, enum: ['a', 'b'] })).toEqual([]);
    expect(params(closed({ limit: integer }, 'limit'), closed({ limit: integer }))).toEqual([]);
    expect(params({ ...integer, maximum: 10 }, { ...integer, maximum: 20 })).toEqual([]);
  });

  it('refuses that more is required', () => {
    expect(params(closed({ limit: integer }), closed({ limit: integer }, 'limit'))).toEqual([
      'x.limit is required and was not',
    ]);
    expect(params(closed({}), closed({ tree: text }, 'tree'))).toEqual(['x.tree is required and was not']);
    expect(params({ type: 'object' }, closed({}))).toEqual(['x refuses unknown members and did not']);
  });

  it('refuses that fewer values are accepted', () => {
    expect(params({ ...text, enum: ['a', 'b'] }, { ...text, enum: ['a'] })).toEqual(['x: the value b is gone']);
    expect(params(text, { ...text, const: 'a' })).toEqual(['x: the value any is gone']);
    expect(params({ ...integer, maximum: 20 }, { ...integer, maximum: 10 })).toEqual(['x: maximum was 20 and is 10']);
    expect(params(text, { ...text, minLength: 1 })).toEqual(['x: minLength was undefined and is 1']);
    expect(params(text, { ...text, pattern: 'a' })).toEqual(['x: pattern was undefined and is a']);
  });
});

describe('the rule for the schema of a result', () => {
  it('permits narrower values, and members that are always present', () => {
    expect(result({ ...integer, maximum: 20 }, { ...integer, maximum: 10, minimum: 1 })).toEqual([]);
    expect(result({ ...text, enum: ['a', 'b'] }, { ...text, const: 'a' })).toEqual([]);
    expect(result(closed({ slot: integer }), closed({ slot: integer }, 'slot'))).toEqual([]);
  });

  it('refuses that a member may be absent', () => {
    expect(result(closed({ slot: integer }, 'slot'), closed({ slot: integer }))).toEqual([
      'x.slot may be absent and was not',
    ]);
  });

  it('refuses new members and forms, unless results may grow', () => {
    const [released, now] = [closed({ slot: integer }), closed({ slot: integer, hash: text })];
    expect(result(released, now)).toEqual(['x.hash is new, and some clients refuse unknown members']);
    expect(result(text, { anyOf: [text, none] })).toEqual(['x: only one version has the form null']);
    expect(result(released, now, { mayGrow: true })).toEqual([]);
    expect(result({ anyOf: [text, none] }, { anyOf: [text, none, integer] }, { mayGrow: true })).toEqual([]);
  });

  it('refuses wider values', () => {
    expect(result({ ...integer, minimum: 0 }, integer)).toEqual(['x: minimum was 0 and is undefined']);
    expect(result({ ...text, enum: ['a'] }, { ...text, enum: ['a', 'b'] })).toEqual(['x: the value b is new']);
  });
});
