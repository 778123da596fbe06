import { Type } from 'typebox';
import { INTERFACE_COST } from '../cost';
import { defineContract, type MethodError, NOTHING_INDEXED } from '../method-contract';
import {
  MAX_SOLANA_ADDRESSES,
  readSolanaAddress,
  readSolanaAddresses,
  SolanaAddressesParams,
  SolanaAddressParams,
} from '../params/solana-addresses';
import { type AccountInterface, FoundAccountInterface } from '../schemas/account-interface';
import { withContext } from '../schemas/context';
import { EXAMPLE_ACCOUNT_V2, EXAMPLE_TOKEN_DATA } from './example-values';

const INTERFACE_ERRORS: readonly MethodError[] = [
  { kind: 'stateError', when: 'more than 1000 compressed accounts belong to the addresses' },
  NOTHING_INDEXED,
];

/** The token account of the examples, as an account of the SPL token program. */
const EXAMPLE_INTERFACE: AccountInterface = {
  key: EXAMPLE_TOKEN_DATA.owner,
  account: {
    lamports: 0n,
    data: 'Fci4U9QOCVoeSJNu52uQTHTZkN+jGh5G5VqySLzUdo/IF0SuAAU/8W2JwQ9eoK7yn7i6O/dx7aXfmnaBmwIYnOgDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    owner: EXAMPLE_ACCOUNT_V2.owner,
    executable: false,
    rentEpoch: 0n,
    space: 165,
  },
  cold: [EXAMPLE_ACCOUNT_V2],
};

export const getAccountInterface = defineContract({
  name: 'getAccountInterface',
  summary: 'The account with the given address, whether it is on the chain or compressed, or null.',
  description:
    'The account on the chain counts if it has lamports. Compressed accounts belong to an address if they are mints that contain it, if a program derived their address in a V2 address tree from it, or if they are token accounts of this owner; what stays of an account that was decompressed does not count. Token accounts of one mint, on the chain and compressed, are added up: amounts, amounts of the delegate, and frozen if any of them is. Of other accounts, the one on the chain is returned if no compressed one is newer. If the Solana node does not answer, or none is configured, only compressed accounts are found; if the index cannot be read, only accounts on the chain.',
  params: SolanaAddressParams,
  parseParams: readSolanaAddress,
  result: withContext(FoundAccountInterface),
  cost: INTERFACE_COST,
  errors: [
    { kind: 'invalidParams', when: 'the address is not base58 of 32 bytes, or the commitment is none' },
    ...INTERFACE_ERRORS,
  ],
  example: {
    params: { address: EXAMPLE_INTERFACE.key },
    result: { context: { slot: 40 }, value: EXAMPLE_INTERFACE },
  },
});

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
