import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { decodeBase58 } from '@fresnel/domain/primitives';

/** An account of the virtual machine. */
export interface SvmAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
}

/** What a transaction did. */
export interface SvmTransaction {
  logs(): string[];
  /** One list for each instruction of the transaction. */
  innerInstructions(): SvmInnerInstruction[][];
}

interface SvmInnerInstruction {
  stackHeight(): number;
  instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
}

/** A transaction that failed. */
export interface SvmFailure {
  err(): unknown;
  meta(): SvmTransaction;
}

/** The members of LiteSVM that the node uses. Keys are 32 bytes. */
export interface LiteSvm {
  addProgramFromFile(program: Uint8Array, path: string): void;
  setAccount(key: Uint8Array, account: SvmAccount): void;
  getAccount(key: Uint8Array): SvmAccount | null;
  airdrop(key: Uint8Array, lamports: bigint): unknown;
  latestBlockhash(): string;
  /** Starts a block: transactions need its blockhash from now on. */
  expireBlockhash(): void;
  getClock(): { slot: bigint };
  warpToSlot(slot: bigint): void;
  minimumBalanceForRentExemption(bytes: bigint): bigint;
  sendVersionedTransaction(wire: Uint8Array): SvmTransaction | SvmFailure;
}

interface LiteSvmModule {
  LiteSvm: new () => LiteSvm;
  Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    epoch: bigint,
  ) => SvmAccount;
}

/** An account in a file of Light Protocol's package. */
interface AccountFile {
  pubkey: string;
  account: { lamports: number; data: [string, 'base64']; owner: string; executable: boolean };
}

/** The programs that transactions call, and their keys. */
const PROGRAMS = {
  account_compression: 'compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq',
  light_system_program_pinocchio: 'SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7',
};

/** A virtual machine, and the keys of the accounts that it has. */
export interface LightChain {
  svm: LiteSvm;
  keys: Uint8Array[];
}

/** Whether `tools/test-prover.mjs` has fetched LiteSVM: it does so on some platforms. */
export function hasLiteSvm(): boolean {
  return process.env.LITE_SVM_FOLDER !== undefined;
}

/**
 * Starts LiteSVM with Light Protocol's programs and the accounts of its local chain: trees and queues, all empty.
 * `tools/test-prover.mjs` fetches them, and names their folders in environment variables.
 */
export function startLightChain(): LightChain {
  const { LITE_SVM_FOLDER, LIGHT_PROVER_FOLDER, LIGHT_ACCOUNTS_FOLDER } = process.env;
  if (!LITE_SVM_FOLDER || !LIGHT_PROVER_FOLDER || !LIGHT_ACCOUNTS_FOLDER) {
    throw new Error('run this suite with `npm run test:prover`');
  }
  const { LiteSvm, Account } = createRequire(__filename)(LITE_SVM_FOLDER) as LiteSvmModule;
  const svm = new LiteSvm();
  for (const [name, program] of Object.entries(PROGRAMS)) {
    svm.addProgramFromFile(decodeBase58(program), join(LIGHT_PROVER_FOLDER, 'bin', `${name}.so`));
  }
  const folder = join(LIGHT_ACCOUNTS_FOLDER, 'accounts');
  const keys = readdirSync(folder).map((file) => {
    const { pubkey, account } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as AccountFile;
    const data = Buffer.from(account.data[0], 'base64');
    const key = decodeBase58(pubkey);
    const owner = decodeBase58(account.owner);
    svm.setAccount(key, new Account(BigInt(account.lamports), data, owner, account.executable, 0n));
    return key;
  });
  return { svm, keys };
}
