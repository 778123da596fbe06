import { linkTo, parseRoute } from './routes';

it.each([
  [linkTo(''), '', '', {}],
  [linkTo('tx', 'abc'), 'tx', 'abc', {}],
  [linkTo('mint', 'a/b?c#d', { after: 'x&y', no: null }), 'mint', 'a/b?c#d', { after: 'x&y' }],
  ['', '', '', {}],
  ['#/tx/%', 'tx', '%', {}],
])('%s leads where it says', (link, view, subject, options) => {
  const route = parseRoute(link);
  expect([route.view, route.subject, Object.fromEntries(route.options)]).toEqual([view, subject, options]);
});
