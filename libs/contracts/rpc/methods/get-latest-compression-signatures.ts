import { OPTIONAL_PAGE_COST } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readSignatureCursor, type SignatureCursor } from '../params/cursors';
import { readMembers } from '../params/members';
import { isWithoutParams, optionalParams } from '../params/no-params';
import { type Page, readPage } from '../params/page';
import { pagedParams, PAGING_NOTE } from '../schemas/paging';
import { getCompressionSignaturesForOwner } from './get-compression-signatures-for-owner';

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
