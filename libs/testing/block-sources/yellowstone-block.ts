import { decodeTransaction } from '@fresnel/domain/events';
import { decodeBase58, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { type FakeBlock } from '@fresnel/testing/chain';

interface BlockJson {
  slot: number;
  parentSlot: number;
  blockhash: string;
  previousBlockhash: string;
  blockTime: number | null;
  blockHeight: number | null;
  transactions: TransactionJson[];
}

interface TransactionJson {
  transaction: [string, string];
  meta: {
    err: unknown;
    fee: number;
    innerInstructions: { index: number; instructions: InnerJson[] }[];
    logMessages: string[];
    loadedAddresses: { writable: string[]; readonly: string[] };
    computeUnitsConsumed: number;
  };
}

interface InnerJson {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number;
}

export interface UpdateOptions {
  withTransactions: boolean;
  /** If false, a transaction of version 1 looks like one of version 0. */
  supportsVersion1: boolean;
  /** Other transactions than those that name one of these accounts are left out; empty: none is. */
  accountInclude?: string[];
}

/** A transaction that names no program that a test knows. */
const OTHER_TRANSACTION = { transaction: { message: { accountKeys: [Buffer.alloc(32, 7)] } }, meta: { fee: 5_000 } };

/**
 * A `SubscribeUpdate` of a block, without balances and other fields that Fresnel does not read. A block without
 * transactions is given one that names no program, like those of a chain in use.
 */
export function toBlockUpdate(
  { slot, json }: FakeBlock,
  { withTransactions, supportsVersion1, accountInclude = [] }: UpdateOptions,
): object {
  const block = JSON.parse(json) as BlockJson;
  const isEmpty = block.transactions.length === 0;
  const toInfos = () =>
    block.transactions.flatMap((transaction, index) => {
      const isIncluded = accountInclude.length === 0 || keysOf(transaction).some((key) => accountInclude.includes(key));
      return isIncluded ? [toTransactionInfo(transaction, index, supportsVersion1)] : [];
    });
  const others = accountInclude.length === 0 ? [OTHER_TRANSACTION] : [];
  return {
    filters: ['fresnel'],
    block: {
      slot,
      blockhash: block.blockhash,
      parentSlot: block.parentSlot,
      parentBlockhash: block.previousBlockhash,
      blockTime: block.blockTime === null ? undefined : { timestamp: block.blockTime },
      blockHeight: block.blockHeight === null ? undefined : { blockHeight: block.blockHeight },
      executedTransactionCount: isEmpty ? 1 : block.transactions.length,
      transactions: !withTransactions ? [] : isEmpty ? others : toInfos(),
    },
  };
}

/** Those of the message, and of lookup tables. */
function keysOf({ transaction, meta }: TransactionJson): string[] {
  const { staticKeys } = decodeTransaction(Buffer.from(transaction[0], 'base64'));
  return [...staticKeys.map(toBase58), ...meta.loadedAddresses.writable, ...meta.loadedAddresses.readonly];
}

function toTransactionInfo({ transaction, meta }: TransactionJson, index: number, supportsVersion1: boolean): object {
  const wire = Buffer.from(transaction[0], 'base64');
  const { signature, staticKeys, instructions, version } = decodeTransaction(wire);
  const message = {
    accountKeys: staticKeys,
    instructions: instructions.map(({ programIndex, accountIndices, data }) => ({
      programIdIndex: programIndex,
      accounts: accountIndices,
      data,
    })),
    versioned: version !== 'legacy',
    addressTableLookups: [
      {
        writableIndexes: Buffer.alloc(meta.loadedAddresses.writable.length),
        readonlyIndexes: Buffer.alloc(meta.loadedAddresses.readonly.length),
      },
    ],
    config: version === 1 && supportsVersion1 ? { computeUnitLimit: 1_000_000 } : undefined,
  };
  return { signature, transaction: { signatures: [signature], message }, meta: toMeta(meta), index };
}

function toMeta(meta: TransactionJson['meta']): object {
  return {
    err: meta.err === null ? undefined : { err: Buffer.of(8, 0, 0, 0, 0, 25, 0, 0, 0) },
    fee: meta.fee,
    innerInstructions: meta.innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ accounts, data, ...inner }) => ({
        ...inner,
        accounts: Buffer.from(accounts),
        data: decodeBase58(data),
      })),
    })),
    logMessages: meta.logMessages,
    loadedWritableAddresses: meta.loadedAddresses.writable.map(parsePubkey),
    loadedReadonlyAddresses: meta.loadedAddresses.readonly.map(parsePubkey),
    returnDataNone: true,
    computeUnitsConsumed: meta.computeUnitsConsumed,
  };
}
