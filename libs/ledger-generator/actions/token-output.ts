import { type Pubkey } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type RequestedOutput } from '../chain/compute-transition';
import { encodeTokenData, type TokenDataEnd } from '../encode/token-data';
import { type AccountData, type TokenData } from '../facts';
import { hashTokenData, type TokenHashScheme } from '../hashing/token-data-hash';
import { GENERATED_PROGRAMS } from '../keys';
import { type Random } from '../random';
import { type GenerationContext } from './generation-context';

/** Version of a token account: its discriminator, and how its data are hashed. */
interface TokenVersion {
  discriminator: Buffer;
  scheme: TokenHashScheme;
}

const VERSION_1 = Buffer.from('0200000000000000', 'hex');
const VERSION_2 = Buffer.from('0000000000000003', 'hex');
const VERSION_3 = Buffer.from('0000000000000004', 'hex');

const IN_V1_TREES: TokenVersion = { discriminator: VERSION_1, scheme: 'poseidon-le' };
const SHA_FLAT: TokenVersion = { discriminator: VERSION_3, scheme: 'sha-flat' };

/** V2 trees have few accounts of version 1, which are hashed like version 2 there. */
const IN_V2_TREES: readonly TokenVersion[] = [
  { discriminator: VERSION_1, scheme: 'poseidon-be' },
  ...Array<TokenVersion>(4).fill({ discriminator: VERSION_2, scheme: 'poseidon-be' }),
  ...Array<TokenVersion>(4).fill(SHA_FLAT),
];

/** A token account that the compressed token program creates in the tree. */
export function tokenOutput(
  context: GenerationContext,
  tree: StateTree,
  token: TokenData,
  lamports = 0n,
): RequestedOutput {
  const stored = tree.info.type === 'stateV1' ? { ...token, extensions: null } : token;
  const data = tokenAccountData(stored, versionOf(stored, tree, context.random), endOf(stored, tree, context.random));
  const body = { owner: GENERATED_PROGRAMS.compressedToken, lamports, address: null, data };
  return { tree, body, token: stored };
}

/** Token data without delegate and extensions, not frozen. */
export function plainToken(mint: Pubkey, owner: Pubkey, amount: bigint): TokenData {
  return { mint, owner, amount, delegate: null, isFrozen: false, extensions: null };
}

function tokenAccountData(token: TokenData, { discriminator, scheme }: TokenVersion, end: TokenDataEnd): AccountData {
  const bytes = encodeTokenData(token, end);
  return { discriminator, bytes, dataHash: hashTokenData(token, bytes, scheme) };
}

/** Only version 3 has extensions. */
function versionOf(token: TokenData, tree: StateTree, random: Random): TokenVersion {
  if (tree.info.type === 'stateV1') return IN_V1_TREES;
  return token.extensions ? SHA_FLAT : random.pick(IN_V2_TREES);
}

function endOf(token: TokenData, tree: StateTree, random: Random): TokenDataEnd {
  const mayOmitTag = tree.info.type === 'stateV1' && token.extensions === null;
  return mayOmitTag && random.chance(0.15) ? 'none' : 'tagged';
}
