import { OffsetOutOfRangeError } from './bus';
import { startOffset } from './kafka.log-ranges';

const PLACE = { group: 'projector', topic: 'slot-events', partition: 3 };
const range = (start: bigint, end: bigint) => ({ start, end });

describe('the offset at which a consumer starts', () => {
  it('is its position, if the log has the next record or ends there', () => {
    expect(startOffset(7n, range(5n, 9n), PLACE)).toBe(7n);
    expect(startOffset(5n, range(5n, 9n), PLACE)).toBe(5n);
    expect(startOffset(9n, range(9n, 9n), PLACE)).toBe(9n);
  });

  it('is the first record, if it has read nothing', () => {
    expect(startOffset(null, range(0n, 9n), PLACE)).toBe(0n);
    expect(startOffset(null, range(0n, 0n), PLACE)).toBe(0n);
  });

  it.each([
    ['records have expired that it has not read', 4n, range(5n, 9n), 'projector has position 4 in slot-events/3'],
    ['all records have expired', 4n, range(9n, 9n), 'but the log contains 9 to 9'],
    [
      'records have expired and it has read nothing',
      null,
      range(5n, 9n),
      'projector has read nothing in slot-events/3',
    ],
    [
      'the log ends before its position',
      10n,
      range(0n, 9n),
      'has position 10 in slot-events/3, but the log contains 0',
    ],
  ])('does not exist if %s: the error says what to do', (_, position, log, message) => {
    expect(() => startOffset(position, log, PLACE)).toThrow(OffsetOutOfRangeError);
    expect(() => startOffset(position, log, PLACE)).toThrow(message);
    expect(() => startOffset(position, log, PLACE)).toThrow('stop all services and run "migrate reset-positions"');
  });
});
