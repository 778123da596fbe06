// The order of suites. Those with processes take longest: they come first, together with those that wait most of the time. The short
// unit tests fill all workers at the end.

const { default: Sequencer } = require('@jest/test-sequencer');

const ORDER = ['e2e', 'waiting', 'integration', 'unit'];

/** Integration tests that wait for brokers, time limits and reconnections. */
const WAITING = /libs\/(adapters\/(bus|local-servers|rate-limit)|features\/gateway\/push)\/|outage|silent|replica/;

/** Small files that take longest. Jest knows the durations of what it has run before only. */
const LONGEST = /long-history\.e2e-spec\.ts$|simulation\/levels\.int-spec\.ts$/;

/** @param {import('@jest/test-result').Test} test */
function kindOf({ path, context }) {
  const name = context.config.displayName?.name ?? '';
  return name === 'integration' && WAITING.test(path) ? 'waiting' : name;
}

module.exports = class extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    const sorted = (await super.sort(tests)).toSorted((one, other) => longestFirst(one) - longestFirst(other));
    const [processes, waiting, ...others] = ORDER.map((kind) => sorted.filter((test) => kindOf(test) === kind));
    return [...spread(processes, waiting), ...others.flat()];
  }
};

/** @param {import('@jest/test-result').Test} test */
const longestFirst = ({ path }) => (LONGEST.test(path) ? 0 : 1);

/**
 * Merges lists, each in its order and evenly.
 *
 * @param {import('@jest/test-result').Test[][]} lists
 */
function spread(...lists) {
  const placed = lists.flatMap((list) => list.map((test, at) => ({ test, place: at / list.length })));
  return placed.toSorted((one, other) => one.place - other.place).map(({ test }) => test);
}
