import { findContentFault } from './content-rules';

it.each([
  ['application/json'],
  ['application/json;'],
  ['application/json; charset=utf-8'],
  ['application/json;charset=UTF-8; boundary=x'],
  ['APPLICATION/JSON; Charset="UTF-8"'],
])('takes %s', (type) => {
  expect(findContentFault({ 'content-type': type })).toBeNull();
});

it.each([
  [undefined],
  [''],
  ['text/json'],
  ['application/json; charset=iso-8859-1'],
  ['application/json; charset='],
  ['application/json; charset=utf-8; charset=utf-16'],
  ['application/vnd.api+json'],
])('refuses %s', (type) => {
  expect(findContentFault({ 'content-type': type })).toBe('the content type must be application/json in utf-8');
});

it.each([undefined, '', 'identity', ' Identity '])('takes the encoding %p', (encoding) => {
  expect(findContentFault({ 'content-type': 'application/json', 'content-encoding': encoding })).toBeNull();
});

it.each(['gzip', 'deflate', 'identity, br'])('refuses the encoding %p', (encoding) => {
  expect(findContentFault({ 'content-type': 'application/json', 'content-encoding': encoding })).toBe(
    'compressed bodies are not read',
  );
});
