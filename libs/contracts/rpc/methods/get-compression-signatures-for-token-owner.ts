import { PAGE_COST } from '../cost';
import { defineContract } from '../method-contract';
import { PAGING_NOTE } from '../schemas/paging';
import { EXAMPLE_TOKEN_DATA } from './example-values';
import { getCompressionSignaturesForOwner } from './get-compression-signatures-for-owner';

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
