import { type Pubkey } from '@fresnel/domain/primitives';
import { PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { readSignatureCursor, type SignatureCursor } from '../params/cursors';
import { readMembers, required } from '../params/members';
import { type Page, readPage } from '../params/page';
import { withContext } from '../schemas/context';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { PubkeyText } from '../schemas/scalars';
import { SignatureList } from '../schemas/signature-list';
import { EXAMPLE_ACCOUNT, EXAMPLE_BLOCK_TIME, EXAMPLE_SIGNATURE } from './example-values';

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
