import { decodeBase58, encodeBase58, MalformedBytesError } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileBytes, hostileJson } from '@fresnel/testing/generic';
import { MalformedBlockError } from './block';
import { parseBlock } from './block.codec';
import { TRANSFER2 } from './discriminators';
import { type ExecutedInstruction, writeExecutedTransaction } from './executed-transaction.codec';
import { findMigratedLeaf } from './find-migrated-leaf';
import { findSignatures } from './find-signatures';
import { groupInstructions, type Instruction } from './instruction-groups';
import { JsonCursor } from './json-cursor';
import { findNamedAccounts } from './named-accounts';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';
import { isFailedTransaction, parseRawTransaction, wireOf } from './raw-transaction';
import { decodeTransaction } from './transaction.codec';
import { TransactionFilter } from './transaction-filter';
import { parseTransactionMeta } from './transaction-meta';
import { decodeTreeEvent } from './tree-event.codec';
import { decodePublicTransactionEvent } from './v1/public-transaction-event.codec';
import { decodeInsertIntoQueues } from './v2/insert-into-queues.codec';
import { decodeSystemOutputs } from './v2/system-instruction.codec';
import { readAtaOwners } from './v2/transfer2.codec';

const BLOCKS = [...generateLedger({ seed: 23, slots: 60, transactionsPerSlot: 3, weights: { migrateLeaves: 5 } })];
const TEXTS = BLOCKS.flatMap(({ facts }) => facts.transactions.map(({ members }) => `{${members}}`));

const TRANSACTIONS = TEXTS.map((json) => {
  const raw = parseRawTransaction(json);
  const wire = wireOf(raw) ?? Buffer.alloc(0);
  const decoded = decodeTransaction(wire);
  const instructions = groupInstructions(decoded, parseTransactionMeta(raw.meta)).flat();
  return { wire, signature: decoded.signature, instructions };
});
const INSTRUCTIONS = TRANSACTIONS.flatMap(({ instructions }) => instructions);

/** Instructions that a decoder reads. */
function samplesOf(decode: (instruction: Instruction) => unknown): Instruction[] {
  const isRead = (instruction: Instruction) => {
    try {
      return decode(instruction) !== null;
    } catch {
      return false;
    }
  };
  return INSTRUCTIONS.filter(isRead).slice(0, 50);
}

describe('a decoder of instruction data', () => {
  it.each<[string, (instruction: Instruction) => unknown]>([
    ['decodeTreeEvent', ({ data }) => decodeTreeEvent(data)],
    ['decodePublicTransactionEvent', ({ data }) => decodePublicTransactionEvent(data)],
    ['decodeSystemOutputs', ({ data }) => decodeSystemOutputs(data)],
    ['decodeInsertIntoQueues', decodeInsertIntoQueues],
    ['findMigratedLeaf', findMigratedLeaf],
    ['readAtaOwners', (instruction) => (instruction.data[0] === TRANSFER2 ? readAtaOwners(instruction) : null)],
  ])('gives a value or throws MalformedBytesError for any bytes: %s', (_, decode) => {
    const samples = samplesOf(decode);
    expect(samples.length).toBeGreaterThan(0);
    const { accounts, ...instruction } = samples[0];
    fuzz(hostileBytes(samples.map(({ data }) => data)), (data) => decode({ ...instruction, accounts, data }), {
      throws: [MalformedBytesError],
    });
  });
});

describe('decodeTransaction', () => {
  it('gives a value or throws MalformedBytesError for any bytes', () => {
    fuzz(hostileBytes(TRANSACTIONS.map(({ wire }) => wire)), decodeTransaction, { throws: [MalformedBytesError] });
  });
});

describe('a reader of the JSON of a transaction', () => {
  const parser = new TransactionParser(LIVE_PROGRAMS);
  const filter = new TransactionFilter(LIVE_PROGRAMS.accountCompression);
  const toExecuted = ({ programId, accounts, data, stackHeight }: Instruction): ExecutedInstruction => ({
    programId: encodeBase58(programId),
    accounts: accounts.map(encodeBase58),
    data: encodeBase58(data),
    stackHeight: stackHeight ?? 1,
  });
  const EXECUTED = TRANSACTIONS.map(({ signature, instructions }) =>
    writeExecutedTransaction({ signature, instructions: instructions.map(toExecuted) }),
  );

  it.each<[string, (json: string) => unknown]>([
    ['TransactionParser', (json) => parser.parse(json)],
    ['TransactionFilter', (json) => filter.mayName(json)],
    ['findNamedAccounts', findNamedAccounts],
    ['isFailedTransaction', isFailedTransaction],
    ['findSignatures', (json) => findSignatures([json])],
  ])('gives a value or throws MalformedBlockError for any text: %s', (_, read) => {
    fuzz(hostileJson([...TEXTS.slice(0, 60), ...EXECUTED.slice(0, 60)]), read, {
      throws: [MalformedBlockError],
      runs: 300,
    });
  });

  it('gives a value for any instruction data', () => {
    const transaction = TRANSACTIONS.find(({ instructions }) => instructions.length > 5) ?? TRANSACTIONS[0];
    const executed = transaction.instructions.map(toExecuted);
    fuzz(hostileBytes(executed.map(({ data }) => decodeBase58(data))), (data) => {
      for (const at of executed.keys()) {
        const instructions = executed.with(at, { ...executed[at], data: encodeBase58(data) });
        parser.parse(writeExecutedTransaction({ signature: transaction.signature, instructions }));
      }
    });
  });
});

describe('parseBlock', () => {
  it('gives a block or throws MalformedBlockError for any text', () => {
    const samples = BLOCKS.slice(0, 20).map(({ json }) => json);
    fuzz(hostileJson(samples), (json) => parseBlock(new JsonCursor(json)), {
      throws: [MalformedBlockError],
      runs: 200,
    });
  });
});
