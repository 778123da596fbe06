import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type Static, Type } from 'typebox';
import { ONE_POINT, OPTIONAL_PAGE_COST, PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readHash, readPubkey } from '../params/base58-values';
import { readSignatureCursor, type SignatureCursor } from '../params/cursors';
import { readMembers, required } from '../params/members';
import { isWithoutParams, optionalParams } from '../params/no-params';
import { type Page, readPage } from '../params/page';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { HashText, PubkeyText } from '../schemas/scalars';
import { SignatureItem, SignatureList } from '../schemas/signature-list';
import { EXAMPLE_ACCOUNT, EXAMPLE_BLOCK_TIME, EXAMPLE_SIGNATURE, EXAMPLE_TOKEN_DATA } from './example-values';

export interface OwnerSignaturesParams extends Page<SignatureCursor> {
  owner: Pubkey;
}

export const getCompressionSignaturesForOwner = defineContract({
  name: 'getCompressionSignaturesForOwner',
  summary: 'The transactions that created or consumed compressed accounts of an owner, newest first.',
  description:
    `${PAGING_NOTE}New signatures are added before the first page only. The owner of a token account is the token ` +
    'program: for the tokens of a wallet use getCompressionSignaturesForTokenOwner.',
  params: pagedParams({ owner: PubkeyText }),
  parseParams: (params): OwnerSignaturesParams => {
    const members = readMembers(params, 'params', ['owner', 'cursor', 'limit']);
    return { owner: required(members, 'owner', readPubkey), ...readPage(members, readSignatureCursor) };
  },
  result: withContext(SignatureList),
  cost: PAGE_COST,
  errors: [
    { kind: 'invalidParams', when: 'owner is not base58 of 32 bytes, or cursor or limit is malformed' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { owner: EXAMPLE_ACCOUNT.owner, limit: 10 },
    result: {
      context: { slot: 40 },
      value: { items: [{ signature: EXAMPLE_SIGNATURE, slot: 40, blockTime: EXAMPLE_BLOCK_TIME }], cursor: null },
    },
  },
});

export const getCompressionSignaturesForTokenOwner = defineContract({
  name: 'getCompressionSignaturesForTokenOwner',
  summary: 'The transactions that created or consumed compressed token accounts of a wallet, newest first.',
  description: `${PAGING_NOTE}New signatures are added before the first page only. Delegates do not count as owners.`,
  params: getCompressionSignaturesForOwner.params,
  parseParams: getCompressionSignaturesForOwner.parseParams,
  result: getCompressionSignaturesForOwner.result,
  cost: PAGE_COST,
  errors: getCompressionSignaturesForOwner.errors,
  example: {
    params: { owner: EXAMPLE_TOKEN_DATA.owner, limit: 10 },
    result: getCompressionSignaturesForOwner.example.result,
  },
});

export interface AddressSignaturesParams extends Page<SignatureCursor> {
  address: Hash;
}

export const getCompressionSignaturesForAddress = defineContract({
  ...getCompressionSignaturesForOwner,
  name: 'getCompressionSignaturesForAddress',
  summary: 'The transactions that created or consumed compressed accounts with the given address, newest first.',
  description: `${PAGING_NOTE}New signatures are added before the first page only.`,
  params: pagedParams({ address: PubkeyText }),
  parseParams: (params): AddressSignaturesParams => {
    const members = readMembers(params, 'params', ['address', 'cursor', 'limit']);
    return { address: required(members, 'address', readHash), ...readPage(members, readSignatureCursor) };
  },
  errors: [
    { kind: 'invalidParams', when: 'address is not base58 of 32 bytes, or cursor or limit is malformed' },
    NOTHING_INDEXED,
  ],
  example: {
    params: { address: EXAMPLE_ACCOUNT.hash, limit: 10 },
    result: getCompressionSignaturesForOwner.example.result,
  },
});

export const getLatestCompressionSignatures = defineContract({
  ...getCompressionSignaturesForOwner,
  name: 'getLatestCompressionSignatures',
  summary: 'The transactions that involve compression, newest first.',
  description: `${PAGING_NOTE}New signatures are added before the first page only.`,
  params: optionalParams(pagedParams({})),
  isParamsOptional: true,
  parseParams: (params): Page<SignatureCursor> => {
    const members = readMembers(isWithoutParams(params) ? {} : params, 'params', ['cursor', 'limit']);
    return readPage(members, readSignatureCursor);
  },
  cost: OPTIONAL_PAGE_COST,
  errors: [{ kind: 'invalidParams', when: 'cursor or limit is malformed' }, NOTHING_INDEXED],
  example: { params: { limit: 10 }, result: getCompressionSignaturesForOwner.example.result },
});

export const getCompressionSignaturesForAccount = defineContract({
  name: 'getCompressionSignaturesForAccount',
  summary: 'The transactions that created and consumed the compressed account with the given hash, newest first.',
  description: 'The list is empty for an unknown hash.',
  params: closedObject({ hash: HashText }),
  parseParams: (params): { hash: Hash } => ({
    hash: required(readMembers(params, 'params', ['hash']), 'hash', readHash),
  }),
  result: withContext(closedObject({ items: Type.Array(SignatureItem) }, { title: 'AccountSignatureList' })),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'hash is not base58 of 32 bytes' }, NOTHING_INDEXED],
  example: {
    params: { hash: EXAMPLE_ACCOUNT.hash },
    result: {
      context: { slot: 40 },
      value: { items: [{ signature: EXAMPLE_SIGNATURE, slot: 40, blockTime: EXAMPLE_BLOCK_TIME }] },
    },
  },
});

export const NonVotingSignature = closedObject(
  {
    ...SignatureItem.properties,
    error: Type.Null({ description: 'Always null: transactions that failed are not listed.' }),
  },
  { title: 'NonVotingSignature' },
);

export type NonVotingSignature = Static<typeof NonVotingSignature>;

export const getLatestNonVotingSignatures = defineContract({
  ...getLatestCompressionSignatures,
  name: 'getLatestNonVotingSignatures',
  summary: 'The transactions that succeeded and are not votes, with and without compression, newest first.',
  description:
    'Only the newest transactions are stored, and of a block the last 1,000. The result has no cursor; `cursor` is one of ' +
    '`getLatestCompressionSignatures`.',
  result: withContext(closedObject({ items: Type.Array(NonVotingSignature) }, { title: 'NonVotingSignatureList' })),
  errors: [
    ...getLatestCompressionSignatures.errors,
    {
      kind: 'stateError',
      when: 'the index is catching up, or its stream of blocks omits transactions without compression',
    },
  ],
  example: {
    params: { limit: 10 },
    result: {
      context: { slot: 40 },
      value: { items: [{ signature: EXAMPLE_SIGNATURE, slot: 40, blockTime: EXAMPLE_BLOCK_TIME, error: null }] },
    },
  },
});
