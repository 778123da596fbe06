import { NodeRpc } from '@fresnel/adapters/chain';
import { findTransaction, Reader, type TransactionRecord } from '@fresnel/adapters/store-read';
import { type Signature, toBase58 } from '@fresnel/domain/primitives';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TransactionNotAvailableError } from '../responses/transaction-not-available.error';

/** A stored transaction without bytes, in the form of `writeExecutedTransaction`. */
const EXECUTED = /^\{"slot":\d+,"blockTime":-?\d+,"executed":/;
/** Characters of all remembered transactions. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/**
 * Finds transactions with their bytes. A history source without bytes leaves what the transaction executed, which is stored in their
 * place: then a node is asked. Equal questions are asked once, and the newest answers are remembered.
 */
@Injectable()
export class RawTransactions {
  private readonly cache: LRUCache<string, string>;

  constructor(
    private readonly reader: Reader,
    /** Null: none is configured. */
    @Inject(NodeRpc) node: NodeRpc | null,
  ) {
    this.cache = new LRUCache<string, string>({
      maxSize: MAX_CACHED_CHARACTERS,
      sizeCalculation: ({ length }) => length,
      fetchMethod: async (signature) => (await node?.findTransaction(signature)) ?? undefined,
    });
  }

  /**
   * @returns null if the transaction is not indexed
   * @throws TransactionNotAvailableError; the errors of `findTransaction` and of `NodeRpc`
   */
  async find(signature: Signature): Promise<TransactionRecord | null> {
    const found = await findTransaction(this.reader, signature);
    if (!found || !EXECUTED.test(found.json)) return found;
    const text = toBase58(signature);
    const json = await this.cache.fetch(text);
    if (json === undefined) throw new TransactionNotAvailableError(text);
    return { ...found, json };
  }
}
