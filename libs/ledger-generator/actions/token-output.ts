import { type Pubkey } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type RequestedOutput } from '../chain/plan-transition';
import { encodeTokenData, type TokenDataEnd } from '../encode/token-data';
import { type AccountData, type TokenData } from '../facts';
import { hashTokenData, type TokenHashScheme } from '../hashing/token-data-hash';
import { GENERATED_PROGRAMS } from '../keys';
import { type Random } from '../random';
import { type Stage } from './stage';

/** How a token account is stored: the version that its discriminator tells, and how its data are hashed. */
interface TokenForm {
  discriminator: Buffer;
  scheme: TokenHashScheme;
}

const VERSION_1 = Buffer.from('0200000000000000', 'hex');
const VERSION_2 = Buffer.from('0000000000000003', 'hex');
const VERSION_3 = Buffer.from('0000000000000004', 'hex');

const IN_V1_TREES: TokenForm = { discriminator: VERSION_1, scheme: 'poseidon-le' };
const SHA_FLAT: TokenForm = { discriminator: VERSION_3, scheme: 'sha-flat' };

/** The first version is rare in V2 trees, and hashed there like the second. */
const IN_V2_TREES: readonly TokenForm[] = [
  { discriminator: VERSION_1, scheme: 'poseidon-be' },
  ...Array<TokenForm>(4).fill({ discriminator: VERSION_2, scheme: 'poseidon-be' }),
  ...Array<TokenForm>(4).fill(SHA_FLAT),
];

/** An account that an instruction of the compressed token program creates. */
export function tokenOutput(stage: Stage, tree: StateTree, token: TokenData, lamports = 0n): RequestedOutput {
  const stored = tree.info.type === 'stateV1' ? { ...token, extensions: null } : token;
  const data = tokenAccountData(stored, formOf(stored, tree, stage.random), endOf(stored, tree, stage.random));
  const body = { owner: GENERATED_PROGRAMS.compressedToken, lamports, address: null, data };
  return { tree, body, token: stored };
}

/** Token data of a holder who may do with the amount what he wants. */
export function plainToken(mint: Pubkey, owner: Pubkey, amount: bigint): TokenData {
  return { mint, owner, amount, delegate: null, isFrozen: false, extensions: null };
}

function tokenAccountData(token: TokenData, { discriminator, scheme }: TokenForm, end: TokenDataEnd): AccountData {
  const bytes = encodeTokenData(token, end);
  return { discriminator, bytes, dataHash: hashTokenData(token, bytes, scheme) };
}

/** Only the third version has extensions. */
function formOf(token: TokenData, tree: StateTree, random: Random): TokenForm {
  if (tree.info.type === 'stateV1') return IN_V1_TREES;
  return token.extensions ? SHA_FLAT : random.pick(IN_V2_TREES);
}

function endOf(token: TokenData, tree: StateTree, random: Random): TokenDataEnd {
  const mayBeBare = tree.info.type === 'stateV1' && token.extensions === null;
  return mayBeBare && random.chance(0.15) ? 'none' : 'tagged';
}
