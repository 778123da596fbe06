import { QueryFailedError } from 'typeorm';
import { isOutage, readFaultOf } from './outage';

const errorOf = (code: string | undefined, message = 'failed') => Object.assign(new Error(message), { code });

describe('isOutage', () => {
  it.each([
    ['ECONNREFUSED'],
    ['ENOTFOUND'],
    ['EAI_AGAIN'],
    ['EAI_FAIL'],
    ['EHOSTUNREACH'],
    ['57P01'],
    ['53300'],
    ['25006'],
    ['08006'],
  ])('is true for the code %s', (code) => {
    expect(isOutage(errorOf(code))).toBe(true);
    expect(isOutage(new QueryFailedError('SELECT 1', [], errorOf(code)))).toBe(true);
  });

  it.each([
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
    'timeout exceeded when trying to connect',
    'connection closed: the database was silent for 31000 ms',
  ])('is true for the message "%s" of the driver', (message) => {
    expect(isOutage(errorOf(undefined, message))).toBe(true);
  });

  it.each([
    ['23505', 'duplicate key'],
    ['28P01', 'password authentication failed for user "timeout"'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match that of the certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
    [undefined, 'The server does not support SSL connections'],
    [undefined, 'There was an error establishing an SSL connection'],
  ])('is false for %s: %s', (code, message) => {
    expect(isOutage(errorOf(code, message))).toBe(false);
  });
  it('is false for a file that the URL names and that cannot be read', () => {
    const missing = Object.assign(errorOf('ENOENT', 'no such file or directory'), { syscall: 'open' });
    expect(isOutage(missing)).toBe(false);
    expect(isOutage(Object.assign(errorOf('ENOENT'), { syscall: 'connect' }))).toBe(true);
  });
});

describe('readFaultOf', () => {
  it.each([
    ['26000', 'prepared statement "a" does not exist'],
    ['42P05', 'prepared statement "a" already exists'],
    ['0A000', 'cached plan must not change result type'],
    ['08P01', 'bind message supplies 1 parameters, but prepared statement "a" requires 2'],
  ])('is a lost prepared statement for %s: %s', (code, message) => {
    expect(readFaultOf(errorOf(code, message))).toBe('unprepared');
  });

  it.each([
    ['08P01', 'server conn crashed?', 'broken'],
    ['57P01', 'terminating connection due to administrator command', 'broken'],
    ['40001', 'canceling statement due to conflict with recovery', 'conflict'],
    ['22003', 'value out of range', null],
  ])('for %s: %s is another', (code, message, fault) => {
    expect(readFaultOf(errorOf(code, message))).toBe(fault);
  });
});
