import { Type } from 'typebox';
import { INTERFACE_COST } from '../cost';
import { defineContract } from '../method-contract';
import { MAX_SOLANA_ADDRESSES, readSolanaAddresses, SolanaAddressesParams } from '../params/solana-addresses';
import { FoundAccountInterface } from '../schemas/account-interface';
import { withContext } from '../schemas/context';
import { EXAMPLE_TOKEN_DATA } from './example-values';
import { EXAMPLE_INTERFACE, getAccountInterface, INTERFACE_ERRORS } from './get-account-interface';

export const getMultipleAccountInterfaces = defineContract({
  name: 'getMultipleAccountInterfaces',
  summary:
    'The accounts with the given addresses, whether they are on the chain or compressed, in the order of the request.',
  description: `An account that does not exist is null. An address that is repeated is answered each time. ${getAccountInterface.description}`,
  params: SolanaAddressesParams,
  parseParams: readSolanaAddresses,
  result: withContext(Type.Array(FoundAccountInterface)),
  cost: INTERFACE_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `there are not 1 to ${MAX_SOLANA_ADDRESSES} addresses, one is not base58 of 32 bytes, or the commitment is none`,
    },
    ...INTERFACE_ERRORS,
  ],
  example: {
    params: { addresses: [EXAMPLE_INTERFACE.key, EXAMPLE_TOKEN_DATA.mint] },
    result: { context: { slot: 40 }, value: [EXAMPLE_INTERFACE, null] },
  },
});
