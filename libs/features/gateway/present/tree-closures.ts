import { type ProofState } from '@fresnel/adapters/store-read';

const LACKS = 'History lacks something of this tree: proofs are refused until it is filled in';
/** Why a tree is closed: sentences for callers. */
export const CLOSURES: Record<NonNullable<ProofState['closure']>, string> = {
  'not-compared': 'The history of this index was not compared with the chain yet: proofs are refused until then.',
  'tree-missing': `${LACKS} (its transactions are missing).`,
  'operations-missing': `${LACKS} (operations are missing).`,
  'root-differs': `${LACKS} (its root is not one of the chain).`,
  'spend-missing': `${LACKS} (the transaction that spends an account is missing).`,
  'transaction-lost': `${LACKS} (a part of a transaction is lost).`,
  'order-unknown': `${LACKS} (the order of some transactions is unknown).`,
  'signature-in-two-slots': `${LACKS} (a transaction is in two slots).`,
};
