import { FresnelError } from '@fresnel/domain/primitives';
import { serializeError } from './serialize-error';

class QueryError extends FresnelError {
  readonly code = 'query';
  readonly isRetryable = false;
  readonly parameters = ['a-secret'];
  readonly query = 'SELECT a-secret';
}

const driverError = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['user', 'a-secret'] } });

it('has the type, the message, the code, the stack and the causes', () => {
  const error = new QueryError('cannot read', { cause: driverError });
  expect(serializeError(error)).toEqual({
    type: 'QueryError',
    message: 'cannot read',
    code: 'query',
    stack: error.stack,
    cause: { type: 'Error', message: 'WRONGPASS', stack: driverError.stack },
  });
});

it('has the errors of several attempts', () => {
  const error = new AggregateError([driverError, 'text', { password: 'a-secret' }], 'all failed');
  expect(serializeError(error)).toMatchObject({ errors: [{ message: 'WRONGPASS' }, 'text', '[object]'] });
});

it('never has commands, queries and parameters', () => {
  const nested = new QueryError('x', { cause: new AggregateError([driverError], 'y', { cause: driverError }) });
  expect(JSON.stringify(serializeError(nested))).not.toContain('a-secret');
});

it('ends at a circle of causes', () => {
  const error = new Error('circle');
  error.cause = error;
  expect(JSON.stringify(serializeError(error))).toContain('circle');
});
