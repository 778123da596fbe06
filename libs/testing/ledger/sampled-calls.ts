import { toBase58 } from '@fresnel/domain/primitives';
import { type DataFilter, type LedgerOracle, type PageRequest, type Random } from '@fresnel/ledger-generator';

/** A call whose answer has a context, and what the oracle answers after some block. */
export interface ContextCall {
  method: string;
  params: unknown;
  answerOf: (oracle: LedgerOracle) => unknown;
}

/** A call of a paginated method, without the page. */
export interface ListCall {
  method: string;
  subject: object;
  answerOf: (oracle: LedgerOracle, page: PageRequest) => { value: { cursor: string | null } };
}

/** Number of accounts in one call of a method that takes several. */
const SEVERAL = 4;
const MAX_FILTER_BYTES = 4;

/**
 * Calls of the methods for several accounts, balances, and signatures of accounts.
 *
 * @param subjects what to ask about
 * @param count the most calls of each kind
 */
export function sampleValueCalls(subjects: LedgerOracle, random: Random, count: number): ContextCall[] {
  const hashes = random.sample(subjects.accounts(), count);
  const addresses = random.sample(subjects.addresses(), count);
  const owners = random.sample([...subjects.owners(), ...subjects.tokenOwners()], count);
  const keys = [subjects.tokenOwners(), subjects.seeds()].flatMap((all) => random.sample(all, count));
  return [
    ...[...hashes.map((hash) => ({ hash })), ...addresses.map((address) => ({ address }))].flatMap(balanceCalls),
    ...[subjects.accounts(), subjects.unreadableAccounts()].flatMap((all) =>
      multipleCalls({ hashes: random.sample(all, SEVERAL) }),
    ),
    ...multipleCalls({ addresses: random.sample(subjects.addresses(), SEVERAL) }),
    ...owners.map((owner): ContextCall => ({
      method: 'getCompressedBalanceByOwner',
      params: { owner },
      answerOf: (oracle) => oracle.getCompressedBalanceByOwner(owner),
    })),
    ...keys.map((address): ContextCall => ({
      method: 'getAccountInterface',
      params: { address },
      answerOf: (oracle) => oracle.getAccountInterface(address),
    })),
    ...(keys.length > 0 ? [interfacesCall(keys)] : []),
    ...hashes.map((hash): ContextCall => ({
      method: 'getCompressionSignaturesForAccount',
      params: { hash },
      answerOf: (oracle) => oracle.getCompressionSignaturesForAccount(hash),
    })),
  ];
}

/**
 * Calls of the paginated methods for accounts, tokens, and signatures of addresses.
 *
 * @param subjects what to ask about
 * @param count the most calls of each kind
 */
export function sampleListCalls(subjects: LedgerOracle, random: Random, count: number): ListCall[] {
  const mint = subjects.mints().length > 0 ? random.pick(subjects.mints()) : undefined;
  return [
    ...random.sample(subjects.owners(), count).flatMap((owner) => ownerCalls(owner, randomFilter(subjects, random))),
    ...random.sample(subjects.tokenOwners(), count).flatMap((owner) => tokenCalls(owner, mint)),
    ...random.sample(subjects.delegates(), count).flatMap((delegate) => delegateCalls(delegate, mint)),
    ...random.sample(subjects.addresses(), count).map((address): ListCall => ({
      method: 'getCompressionSignaturesForAddress',
      subject: { address },
      answerOf: (oracle, page) => oracle.getCompressionSignaturesForAddress(address, page),
    })),
    {
      method: 'getLatestCompressionSignatures',
      subject: {},
      answerOf: (oracle, page) => oracle.getLatestCompressionSignatures(page),
    },
  ];
}

function balanceCalls(params: { hash: string } | { address: string }): ContextCall[] {
  const balance = (oracle: LedgerOracle) => oracle.getCompressedAccountBalance(params);
  return [
    { method: 'getCompressedAccountBalance', params, answerOf: balance },
    { method: 'getCompressedBalance', params, answerOf: balance },
    {
      method: 'getCompressedTokenAccountBalance',
      params,
      answerOf: (oracle) => oracle.getCompressedTokenAccountBalance(params),
    },
  ];
}

function multipleCalls(params: { hashes: string[] } | { addresses: string[] }): ContextCall[] {
  const methods = ['getMultipleCompressedAccounts', 'getMultipleCompressedAccountsV2'] as const;
  return methods.map((method) => ({ method, params, answerOf: (oracle) => oracle[method](params) }));
}

function interfacesCall(addresses: string[]): ContextCall {
  return {
    method: 'getMultipleAccountInterfaces',
    params: { addresses },
    answerOf: (oracle) => {
      const answers = addresses.map((address) => oracle.getAccountInterface(address));
      return { context: answers[0].context, value: answers.map(({ value }) => value) };
    },
  };
}

function ownerCalls(owner: string, filter: DataFilter): ListCall[] {
  const methods = ['getCompressedAccountsByOwner', 'getCompressedAccountsByOwnerV2'] as const;
  const memcmp = { offset: filter.offset, bytes: toBase58(filter.bytes) };
  return methods.flatMap((method) => [
    { method, subject: { owner }, answerOf: (oracle, page) => oracle[method](owner, page) },
    {
      method,
      subject: { owner, filters: [{ memcmp }] },
      answerOf: (oracle, page) => oracle[method](owner, { ...page, filters: [filter] }),
    },
  ]);
}

function tokenCalls(owner: string, mint: string | undefined): ListCall[] {
  const accounts = ['getCompressedTokenAccountsByOwner', 'getCompressedTokenAccountsByOwnerV2'] as const;
  const balances = 'getCompressedTokenBalancesByOwnerV2' as const;
  return [{}, { mint }].flatMap((more): ListCall[] => {
    const subject = { owner, ...more };
    return [
      ...[...accounts, balances].map((method): ListCall => ({
        method,
        subject,
        answerOf: (oracle, page) => oracle[method](owner, { ...page, ...more }),
      })),
      {
        method: 'getCompressedTokenBalancesByOwner',
        subject,
        answerOf: (oracle, page) => {
          const { context, value } = oracle[balances](owner, { ...page, ...more });
          return { context, value: { token_balances: value.items, cursor: value.cursor } };
        },
      },
    ];
  });
}

function delegateCalls(delegate: string, mint: string | undefined): ListCall[] {
  const methods = ['getCompressedTokenAccountsByDelegate', 'getCompressedTokenAccountsByDelegateV2'] as const;
  return methods.flatMap((method) =>
    [{}, { mint }].map((more): ListCall => ({
      method,
      subject: { delegate, ...more },
      answerOf: (oracle, page) => oracle[method](delegate, { ...page, ...more }),
    })),
  );
}

/** A few bytes of the data of a random account. */
function randomFilter(subjects: LedgerOracle, random: Random): DataFilter {
  const hashes = subjects.liveAccounts();
  const data = hashes.length > 0 ? subjects.getCompressedAccount({ hash: random.pick(hashes) }).value?.data : null;
  const bytes = Buffer.from(data?.data ?? '', 'base64');
  const offset = random.below(bytes.length + 1);
  return { offset, bytes: bytes.subarray(offset, offset + random.below(MAX_FILTER_BYTES)) };
}
