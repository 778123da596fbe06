import { type Account } from '../schemas/account';
import { type AccountV2 } from '../schemas/account-v2';
import { type TokenDataObject } from '../schemas/token-data';

/** The token account of the examples. */
const BODY = {
  hash: '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ',
  address: null,
  data: {
    discriminator: 2n,
    data: 'Fci4U9QOCVoeSJNu52uQTHTZkN+jGh5G5VqySLzUdo/IF0SuAAU/8W2JwQ9eoK7yn7i6O/dx7aXfmnaBmwIYnOgDAAAAAAAAAAAA',
    dataHash: '4D9BW6ThazKaSy7U91cnSWF9E9pCtTFkomd25Pt6CL7k',
  },
  owner: 'cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m',
  lamports: 0n,
  leafIndex: 0,
  seq: 1n,
  slotCreated: 40,
};
const TREE = 'smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT';

export const EXAMPLE_ACCOUNT: Account = { ...BODY, tree: TREE };

export const EXAMPLE_ACCOUNT_V2: AccountV2 = {
  ...BODY,
  proveByIndex: false,
  merkleContext: {
    treeType: 1,
    tree: TREE,
    queue: 'nfq1NvQDJ2GEgnS8zt9prAe8rjjpAW1zFkrvZoBR148',
    cpiContext: null,
    nextTreeContext: null,
  },
};

export const EXAMPLE_TOKEN_DATA: TokenDataObject = {
  mint: '2U35cKS3Cj2xs5EBdByXYU7LaKAitqjSZc1Jnvu4iPf4',
  owner: 'EU57rQxcmFhJ24ApVdUy3y4MxFXcTUN3uiVeWvGgtWXu',
  amount: 1000n,
  delegate: null,
  state: 'initialized',
  tlv: null,
};

export const EXAMPLE_SIGNATURE =
  '64jFxW4xxife8UqpEQyYdA589rzFKWx8rT4vun6soCpWXmDermr588UKX2261YYZ8ZSzcu2NUJY2aCfee64FvTW4';

export const EXAMPLE_BLOCK_TIME = 1724707606;

/** A node's `getTransaction` result, shortened. */
export const EXAMPLE_TRANSACTION = {
  slot: 40,
  transaction: ['Av1M5coyCBRFlJLdHnkBSpeRX41BqfBpbEMHFU3Ymzgw…', 'base64'],
  meta: { err: null, fee: 10000 },
  blockTime: EXAMPLE_BLOCK_TIME,
  version: 0,
};
