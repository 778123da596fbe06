/** How many blocks a fork may orphan. Older blocks are final, so consumers do not keep what their revert would need. */
export const MAX_FORK_DEPTH = 31;
