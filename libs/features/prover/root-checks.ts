/** The outcome for a computed root: it `matched` or `mismatched` the root that the chain reports, or it was `unchecked`. */
export type RootCheck = 'matched' | 'mismatched' | 'unchecked';

export const ROOT_CHECKS: readonly RootCheck[] = ['matched', 'mismatched', 'unchecked'];
