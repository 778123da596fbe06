/**
 * Makes a function join tables in the order of its text, and look rows up by key, whatever the planner assumes about the
 * sizes of the tables: while an index is built, statistics are too old.
 */
export const BY_KEY = `
      SET join_collapse_limit = 1 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;
