/** Discriminators of the account compression program's instructions, 8 bytes each. */
export const COMPRESSION_INSTRUCTIONS = {
  insertIntoQueues: Buffer.from('b48f9f99232ef8a3', 'hex'),
  appendLeavesToMerkleTrees: Buffer.from('c7900a52f78e8f07', 'hex'),
  insertIntoNullifierQueues: Buffer.from('5b65b71c231943dd', 'hex'),
  insertAddresses: Buffer.from('f8e8b3c71b3e3814', 'hex'),
  nullifyLeaves: Buffer.from('9e5b15e09f41b143', 'hex'),
  migrateState: Buffer.from('22bde2deda9c13d5', 'hex'),
  updateAddressMerkleTree: Buffer.from('4bd03f38cf4a7c12', 'hex'),
  batchAppend: Buffer.from('ddc203d8253edc93', 'hex'),
  batchNullify: Buffer.from('869ed2f0fc23fdf7', 'hex'),
  batchUpdateAddressTree: Buffer.from('ab7ff2417dbd7975', 'hex'),
} as const satisfies Record<string, Buffer>;

/** Discriminators of the light system program's instructions, 8 bytes each. */
export const SYSTEM_INSTRUCTIONS = {
  invoke: Buffer.from('1a10a90715caf219', 'hex'),
  invokeCpi: Buffer.from('31d4bf8127c22bc4', 'hex'),
  invokeCpiWithReadOnly: Buffer.from('562fa3a615df5c08', 'hex'),
  invokeCpiWithAccountInfo: Buffer.from('e42280542f8b56f0', 'hex'),
} as const satisfies Record<string, Buffer>;

/** The registry's nullify instruction. Its other instructions use the discriminators of the compression program. */
export const REGISTRY_NULLIFY = Buffer.from('cfa0c64be3928001', 'hex');
