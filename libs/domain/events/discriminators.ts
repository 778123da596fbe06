const hex = (text: string) => Buffer.from(text, 'hex');

/** The first 8 bytes of instructions: those of sha256("global:" + name), with the name in snake case. */
export const COMPRESSION_INSTRUCTIONS = {
  insertIntoQueues: hex('b48f9f99232ef8a3'),
  batchAppend: hex('ddc203d8253edc93'),
  batchNullify: hex('869ed2f0fc23fdf7'),
  batchUpdateAddressTree: hex('ab7ff2417dbd7975'),
  nullifyLeaves: hex('9e5b15e09f41b143'),
  updateAddressMerkleTree: hex('4bd03f38cf4a7c12'),
  migrateState: hex('22bde2deda9c13d5'),
  appendLeavesToMerkleTrees: hex('c7900a52f78e8f07'),
  insertIntoNullifierQueues: hex('5b65b71c231943dd'),
  insertAddresses: hex('f8e8b3c71b3e3814'),
} as const;

export const SYSTEM_INSTRUCTIONS = {
  invoke: hex('1a10a90715caf219'),
  invokeCpi: hex('31d4bf8127c22bc4'),
  invokeCpiWithReadOnly: hex('562fa3a615df5c08'),
  invokeCpiWithAccountInfo: hex('e42280542f8b56f0'),
  initCpiContextAccount: hex('e97047427921b2bc'),
} as const;

export const DISCRIMINATOR_BYTES = 8;

/** The token program's Transfer2 has a discriminator of one byte. */
export const TRANSFER2 = 101;

export function startsWith(data: Buffer, prefix: Buffer): boolean {
  return data.length >= prefix.length && data.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
