import { decodeBase58, parsePubkey, type Pubkey, toBase58 } from '@fresnel/domain/primitives';

export interface FakeAccount {
  /** The program that owns it. */
  owner: Pubkey;
  data: Buffer;
  /** Default: 1. */
  lamports?: number;
}

interface AccountsConfig {
  dataSlice?: { offset: number; length: number };
  filters?: { memcmp: { offset: number; bytes: string } }[];
}

/** The accounts of a node, by their keys in base58. */
export class FakeAccounts {
  private readonly accounts = new Map<string, FakeAccount>();

  set(key: Pubkey, account: FakeAccount): void {
    this.accounts.set(toBase58(key), account);
  }

  /** Answers `getMultipleAccounts`: null for accounts that do not exist. */
  getMultiple([keys, config]: unknown[]): unknown {
    return (keys as string[]).map((key) => {
      const account = this.accounts.get(toBase58(parsePubkey(key)));
      return account ? present(account, config as AccountsConfig) : null;
    });
  }

  /** Answers `getProgramAccounts`: the accounts of one owner that match all filters. */
  getOfProgram([program, config]: unknown[]): unknown {
    const { filters = [], ...rest } = config as AccountsConfig;
    const matches = ({ owner, data }: FakeAccount) =>
      toBase58(owner) === program &&
      filters.every(({ memcmp: { offset, bytes } }) => {
        const expected = decodeBase58(bytes);
        return data.subarray(offset, offset + expected.length).equals(expected);
      });
    const found = [...this.accounts].filter(([, account]) => matches(account));
    return found.map(([pubkey, account]) => ({ pubkey, account: present(account, rest) }));
  }
}

function present({ owner, data, lamports = 1 }: FakeAccount, { dataSlice }: AccountsConfig): object {
  const { offset, length } = dataSlice ?? { offset: 0, length: data.length };
  const part = data.subarray(offset, offset + length);
  return {
    owner: toBase58(owner),
    data: [part.toString('base64'), 'base64'],
    lamports,
    executable: false,
    rentEpoch: 0,
  };
}
