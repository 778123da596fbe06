/**
 * How long a test waits for what must happen. It is far above what a busy machine needs: it only ends a test that would wait for
 * ever. The time limit of a test is longer, so that the test says what it has waited for.
 */
export const PATIENCE_MS = 300_000;
