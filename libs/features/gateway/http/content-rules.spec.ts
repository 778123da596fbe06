import { findContentProblem } from './content-rules';

it.each([
  ['application/json'],
  ['application/json;'],
  ['application/json; charset=utf-8'],
  ['application/json;charset=UTF-8; boundary=x'],
  ['APPLICATION/JSON; Charset="UTF-8"'],
  ['application/json; charset=utf8'],
  ['application/json; charset="UTF8"'],
])('accepts %s', (type) => {
  expect(findContentProblem({ 'content-type': type })).toBeNull();
});

it.each([
  [undefined],
  [''],
  ['text/json'],
  ['application/json; charset=iso-8859-1'],
  ['application/json; charset='],
  ['application/json; charset="utf-8'],
  ['application/json; charset=utf-88'],
  ['application/json; charset=utf-8; charset=utf-16'],
  ['application/vnd.api+json'],
])('rejects %s', (type) => {
  expect(findContentProblem({ 'content-type': type })).toBe('the content type must be application/json in utf-8');
});

it.each([undefined, '', 'identity', ' Identity '])('accepts the encoding %p', (encoding) => {
  expect(findContentProblem({ 'content-type': 'application/json', 'content-encoding': encoding })).toBeNull();
});

it.each(['gzip', 'deflate', 'identity, br'])('rejects the encoding %p', (encoding) => {
  expect(findContentProblem({ 'content-type': 'application/json', 'content-encoding': encoding })).toBe(
    'compressed request bodies are not supported',
  );
});
