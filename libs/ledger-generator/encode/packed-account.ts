import { type AccountBody } from '../facts';
import { type BorshWriter } from './borsh-writer';

/** Position of an input. Tree and queue are indices into the accounts after the fixed ones. */
export interface PackedContext {
  treeIndex: number;
  queueIndex: number;
  leafIndex: number;
  /** Proven by its index in the output queue instead of a root. */
  proveByIndex: boolean;
}

/** An account to be consumed. */
export interface PackedInput {
  account: AccountBody;
  context: PackedContext;
  /** Index of the proven root in the root history; 0 when proven by index. */
  rootIndex: number;
}

/** An account to be created. */
export interface PackedOutput {
  account: AccountBody;
  /** V1: index of the tree among the accounts. V2: index of its output queue. */
  treeIndex: number;
}

/** An address to be created; tree and queue are indices into the accounts. */
export interface PackedAddress {
  seed: Buffer;
  queueIndex: number;
  treeIndex: number;
  rootIndex: number;
  /** Index of the output that gets the address, null for none. Some instruction formats omit it. */
  assignedTo: number | null;
}

/** owner 32 | lamports u64 | address option | data option { discriminator 8 | bytes vector | data hash 32 } */
export function writeAccount(writer: BorshWriter, { owner, lamports, address, data }: AccountBody): void {
  writer.fixed(owner).u64(lamports).address(address);
  writer.option(data, ({ discriminator, bytes, dataHash }) => {
    writer.fixed(discriminator).byteVector(bytes).fixed(dataHash);
  });
}

/** account | tree u8 */
export function writeOutput(writer: BorshWriter, { account, treeIndex }: PackedOutput): void {
  writeAccount(writer, account);
  writer.u8(treeIndex);
}

/** account | context 7 | root index u16 | read only bool */
export function writeLegacyInput(writer: BorshWriter, { account, context, rootIndex }: PackedInput): void {
  const data = account.data && { ...account.data, bytes: Buffer.alloc(0) };
  writeAccount(writer, { ...account, data });
  writeContext(writer, context);
  writer.u16(rootIndex).bool(false);
}

/** tree u8 | queue u8 | leaf index u32 | prove by index bool */
export function writeContext(writer: BorshWriter, context: PackedContext): void {
  writer.u8(context.treeIndex).u8(context.queueIndex).u32(context.leafIndex).bool(context.proveByIndex);
}

/** seed 32 | queue u8 | tree u8 | root index u16 */
export function writeNewAddress(writer: BorshWriter, { seed, queueIndex, treeIndex, rootIndex }: PackedAddress): void {
  writer.fixed(seed).u8(queueIndex).u8(treeIndex).u16(rootIndex);
}

/** new address | assigned bool | output u8 */
export function writeAssignedAddress(writer: BorshWriter, address: PackedAddress): void {
  writeNewAddress(writer, address);
  writer.bool(address.assignedTo !== null).u8(address.assignedTo ?? 0);
}
