// The order of suites. Those with processes take longest: they come first, and the short unit tests fill all workers at the end.

const { default: Sequencer } = require('@jest/test-sequencer');

const ORDER = ['slow', 'e2e', 'integration', 'unit'];

/** Small files that take longest. Jest knows the durations of what it has run before only. */
const LONGEST = /long-history\.slow-spec\.ts$|simulation\/levels\.int-spec\.ts$/;

/** @param {import('@jest/test-result').Test} test */
function rankOf({ path, context }) {
  return 2 * ORDER.indexOf(context.config.displayName?.name ?? '') + (LONGEST.test(path) ? 0 : 1);
}

module.exports = class extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    // Jest has the files in the order of their durations, or of their sizes where it has not run them before.
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
};
