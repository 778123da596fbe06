import { isAddressTree } from '@fresnel/domain/trees';
import { keyOf, parsePubkey, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { type TokenData } from '../facts';
import { generatedTrees } from '../generated-trees';
import { bytesToField } from '../hashing/field';
import { type AccountInterfaceAnswer, type Answer, type SolanaAccountAnswer } from './answers';
import { type AccountRecord, type LedgerRecords } from './ledger-records';
import { presentCurrentAccountV2 } from './present-account';

const ADDRESS_TREES = generatedTrees().filter((info) => isAddressTree(info) && info.type === 'addressV2');

/** What a gateway without a node answers: the compressed accounts that belong to a key. */
export function answerAccountInterface(records: LedgerRecords, address: string): Answer<AccountInterfaceAnswer | null> {
  const key = parsePubkey(address);
  const derived = derivedFrom(records, key);
  const cold = records
    .liveAccounts()
    .filter(({ account, wallet }) => {
      const isOwner = account.token !== null && (account.token.owner.equals(key) || wallet?.equals(key) === true);
      return isOwner || (account.address !== null && derived.has(keyOf(account.address)));
    })
    .sort((a, b) => b.account.slot - a.account.slot || a.account.hash.compare(b.account.hash));
  const value =
    cold.length === 0
      ? null
      : { key: address, account: presentSolanaAccount(cold), cold: cold.map(presentCurrentAccountV2) };
  return { context: { slot: records.slot }, value };
}

/** The addresses that programs derive from a key: those that own accounts with addresses and data. */
function derivedFrom(records: LedgerRecords, key: Pubkey): Set<string> {
  const owners = records
    .readableAccounts()
    .flatMap(({ account }) => (account.address && account.data ? [account.owner] : []));
  const programs = new Map(owners.map((owner) => [keyOf(owner), owner]));
  return new Set(
    ADDRESS_TREES.flatMap(({ tree }) =>
      [...programs.values()].map((program) => keyOf(bytesToField(key, tree, program))),
    ),
  );
}

/** Tokens of one mint are added up; of other accounts, the newest is the answer. */
function presentSolanaAccount([newest, ...older]: readonly AccountRecord[]): SolanaAccountAnswer {
  const { token, data, lamports, owner } = newest.account;
  const tokens = [newest, ...older].flatMap(({ account }) => account.token ?? []);
  const areOneMint = token && tokens.length === older.length + 1 && tokens.every(({ mint }) => mint.equals(token.mint));
  const bytes = token
    ? splTokenAccount(areOneMint ? tokens : [token], newest.wallet ?? token.owner)
    : Buffer.concat(data ? [data.discriminator, data.bytes] : []);
  return {
    lamports,
    data: bytes.toString('base64'),
    owner: toBase58(owner),
    executable: false,
    rentEpoch: 0n,
    space: bytes.length,
  };
}

/** The layout of the SPL token program, by offsets. */
function splTokenAccount(tokens: readonly TokenData[], owner: Pubkey): Buffer {
  const bytes = Buffer.alloc(165);
  const delegate = tokens.map((token) => token.delegate).find((each) => each !== null);
  tokens[0].mint.copy(bytes, 0);
  owner.copy(bytes, 32);
  for (const token of tokens) {
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(64) + token.amount, 64);
    if (!delegate || !token.delegate?.equals(delegate)) continue;
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(121) + delegatedOf(token), 121);
  }
  bytes.writeUInt32LE(delegate ? 1 : 0, 72);
  delegate?.copy(bytes, 76);
  bytes.writeUInt8(tokens.some(({ isFrozen }) => isFrozen) ? 2 : 1, 108);
  return bytes;
}

/** The first member of the only extension that is generated, or all. */
function delegatedOf({ extensions, amount }: TokenData): bigint {
  const delegated = extensions?.readBigUInt64LE(5) ?? amount;
  return delegated < amount ? delegated : amount;
}
