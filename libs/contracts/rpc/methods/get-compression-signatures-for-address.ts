import { type Hash } from '@fresnel/domain/primitives';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readHash } from '../params/base58-values';
import { readSignatureCursor, type SignatureCursor } from '../params/cursors';
import { readMembers, required } from '../params/members';
import { type Page, readPage } from '../params/page';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { PubkeyText } from '../schemas/scalars';
import { EXAMPLE_ACCOUNT } from './example-values';
import { getCompressionSignaturesForOwner } from './get-compression-signatures-for-owner';

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
