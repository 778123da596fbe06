import { CONTRACTS } from '@fresnel/contracts/rpc';
import { MalformedTextError } from '@fresnel/domain/primitives';

/** The methods that clients of ZK Compression and wallets call on a node: short answers, and no work but lookups. */
const DEFAULT_METHODS = [
  'getAccountInfo',
  'getBalance',
  'getBlockHeight',
  'getBlockTime',
  'getEpochInfo',
  'getFeeForMessage',
  'getGenesisHash',
  'getHealth',
  'getLatestBlockhash',
  'getMinimumBalanceForRentExemption',
  'getMultipleAccounts',
  'getRecentPrioritizationFees',
  'getSignatureStatuses',
  'getSignaturesForAddress',
  'getSlot',
  'getTokenAccountBalance',
  'getTokenAccountsByOwner',
  'getTokenSupply',
  'getTransaction',
  'getVersion',
  'isBlockhashValid',
  'sendTransaction',
  'simulateTransaction',
];

/** Of the usual ones, those that only chains have on which nothing has a value. */
const PRIVATE_CHAIN_METHODS = ['requestAirdrop'];

/** Stands for the usual methods in a list. */
const DEFAULT = 'default';
const METHOD_NAME = /^[a-zA-Z][a-zA-Z0-9]{0,63}$/;

/** Methods of Solana nodes that are forwarded. */
export interface ForwardedMethods {
  always: string[];
  /** Forwarded if the chain is no public cluster. */
  onPrivateChains: string[];
}

/**
 * Parses a comma-separated list of methods of Solana nodes. `default` in it stands for the usual ones.
 *
 * @throws MalformedTextError for what is not a name, and for a method that the gateway has itself
 */
export function parseForwardedMethods(text: string): ForwardedMethods {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!METHOD_NAME.test(name)) throw new MalformedTextError(`"${name}" is not the name of a method`);
    if (name in CONTRACTS) {
      throw new MalformedTextError(`${name} is a method of the gateway and cannot be forwarded`);
    }
  }
  const always = [...new Set(names.flatMap((name) => (name === DEFAULT ? DEFAULT_METHODS : [name])))];
  const ofDefault = names.includes(DEFAULT) ? PRIVATE_CHAIN_METHODS : [];
  return { always, onPrivateChains: ofDefault.filter((name) => !always.includes(name)) };
}
