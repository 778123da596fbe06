import { ConfigError } from '@fresnel/platform';
import { parsePublishArguments } from './publish.arguments';

describe('the arguments of publish', () => {
  it('are the first and the last slot of a range', () => {
    expect(parsePublishArguments(['--from', '5', '--to=9'])).toEqual({ from: 5, to: 9 });
    expect(parsePublishArguments(['--to', '7', '--from', '7'])).toEqual({ from: 7, to: 7 });
  });

  it.each([
    ['--to SLOT is missing', ['--from', '5']],
    ['--from SLOT is missing', []],
    ['--from five is not a slot', ['--from', 'five', '--to', '9']],
    ['--from 1.5 is not a slot', ['--from', '1.5', '--to', '9']],
    ['--to 99999999999999999999 is not a slot', ['--from', '5', '--to', '99999999999999999999']],
    ['--from 9 is after --to 5', ['--from', '9', '--to', '5']],
    ["Unknown option '--until'", ['--from', '5', '--until', '9']],
    ["Unexpected argument 'all'", ['all', '--from', '5', '--to', '9']],
  ])('are rejected with the reason: %s', (message, args) => {
    expect(() => parsePublishArguments(args)).toThrow(ConfigError);
    expect(() => parsePublishArguments(args)).toThrow(message);
  });
});
