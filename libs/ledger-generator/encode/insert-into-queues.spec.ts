import { type Hash, parsePubkey, ZERO_HASH, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { encodeInsertIntoQueues, type InsertIntoQueues } from './insert-into-queues';

const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;
const compact = (hex: string) => hex.replace(/\s/g, '');
const TREE = parsePubkey('HLKs5NJ8FXkJg8BrzJt56adFYYuwg5etzDtBbQYTsixu');
const QUEUE = parsePubkey('6L7SzhYB3anwEQ9cphpJ1U7Scwj57bx2xueReg7R9cKU');
const SMT1 = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
const ADDRESS_TREE = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');
const BMT2 = parsePubkey('bmt2UxoBxB9xWev4BkLvkGdapsz6sZGkzViPNph7VFi');
const OQ2 = parsePubkey('oq2UkeMsJLfXt2QHzim242SUi3nvjJs8Pn7Eac9H9vg');
const BMT3 = parsePubkey('bmt3ccLd4bqSVZVeCJnH1F6C8jNygAhaDfxDwePyyGb');
const OQ3 = parsePubkey('oq3AxjekBWgo64gpauB6QtuZNesuv19xrhaC1ZM1THQ');

const NOTHING: InsertIntoQueues = {
  queueCount: 0,
  outputQueueCount: 0,
  startOutputAppends: 0,
  addressQueueCount: 0,
  txHash: ZERO_HASH,
  leaves: [],
  nullifiers: [],
  addresses: [],
  outputSequences: [],
  inputSequences: [],
  addressSequences: [],
  leafIndices: [],
  contextOutputs: [],
};

describe('encodeInsertIntoQueues', () => {
  it('writes a recorded transfer: one input by index, one output', () => {
    const encoded = encodeInsertIntoQueues({
      ...NOTHING,
      queueCount: 1,
      outputQueueCount: 1,
      txHash: hash('1668b1a91dba0b6cce9c3766ac7bb4cf8c4097b609280509ee5552642524d1a3'),
      leaves: [{ accountIndex: 0, hash: hash('12d57709f8c3a74520d626d73c3f26d0d6d1a11765270b18f4791632fb7f640b') }],
      nullifiers: [
        {
          accountHash: hash('1de80184b138780ce6bfca6a1f2afb683f301bc58a372933e6cd7945f3c6c91d'),
          leafIndex: 0,
          proveByIndex: true,
          treeIndex: 1,
          queueIndex: 0,
        },
      ],
      outputSequences: [{ tree: TREE, queue: QUEUE, type: 'stateV2', seq: 1n }],
      inputSequences: [{ tree: TREE, queue: QUEUE, type: 'stateV2', seq: 0n }],
      leafIndices: [1],
    });
    expect(encoded.toString('hex')).toBe(
      compact(`
        b48f9f99232ef8a3 1d010000
        01 ff 01 01 00 00
        1668b1a91dba0b6cce9c3766ac7bb4cf8c4097b609280509ee5552642524d1a3
        01  00 12d57709f8c3a74520d626d73c3f26d0d6d1a11765270b18f4791632fb7f640b
        01  1de80184b138780ce6bfca6a1f2afb683f301bc58a372933e6cd7945f3c6c91d 00000000 01 01 00
        00
        01  f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe
            4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db 0300000000000000 0100000000000000
        01  f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe
            4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db 0300000000000000 0000000000000000
        00
        01  01000000
        00000000`),
    );
  });

  it('writes a recorded creation: a new V2 address, an output in a V1 tree, no transaction hash', () => {
    const address = '000f8ee15579e49fa6a914b0e379661d1b9577881c1af1852c636ff8d293e7a9';
    const leaf = '1cd576f7afbe993135aa3ce1971873b2705bca10700d8dc152e536abef8947bb';
    const encoded = encodeInsertIntoQueues({
      ...NOTHING,
      outputQueueCount: 1,
      startOutputAppends: 1,
      addressQueueCount: 1,
      leaves: [{ accountIndex: 1, hash: hash(leaf) }],
      addresses: [{ address: hash(address), treeIndex: 0, queueIndex: 0 }],
      outputSequences: [{ tree: SMT1, queue: SMT1, type: 'stateV1', seq: 1n }],
      addressSequences: [{ tree: ADDRESS_TREE, queue: ZERO_PUBKEY, type: 'addressV2', seq: 0n }],
      leafIndices: [0],
    });
    expect(encoded.toString('hex')).toBe(
      compact(`
        b48f9f99232ef8a3 18010000 01 ff 00 01 01 01 ${'00'.repeat(32)}
        01  01 ${leaf}
        00
        01  ${address} 00 00
        01  ${SMT1.toString('hex')} ${SMT1.toString('hex')} 0100000000000000 0100000000000000
        00
        01  ${ADDRESS_TREE.toString('hex')} ${'00'.repeat(32)} 0400000000000000 0000000000000000
        01  00000000
        00000000`),
    );
  });

  it('writes a recorded withdrawal: inputs of V1 and V2 trees, and unused sequence entries', () => {
    const inputs = [
      ['23f5e024d7fd15ab19961854ea6b2f10921c1b96b84a09397916319312a4feda', 13, true, 1, 0],
      ['27b295e4193f913b3877b26a436da2c576568903b9eb274488cac6f3acfe039e', 1957141, false, 3, 2],
      ['28df948c2143fe480c575b907f27695a7b3222ddad7509ccfbb20aae8adc0e3c', 1357, true, 5, 4],
      ['002c7d2a7a40184590945e6149e625b4ef46f2219a025cf239f45645f4dee688', 5, true, 1, 0],
    ] as const;
    const encoded = encodeInsertIntoQueues({
      ...NOTHING,
      queueCount: 3,
      txHash: hash('2e5917621e5e8edd2ec7caffdf194d05115a39087f6a6ea8cb1a0c7a6c7d88ea'),
      nullifiers: inputs.map(([accountHash, leafIndex, proveByIndex, treeIndex, queueIndex]) => ({
        accountHash: hash(accountHash),
        ...{ leafIndex, proveByIndex, treeIndex, queueIndex },
      })),
      inputSequences: [
        { tree: BMT3, queue: OQ3, type: 'stateV2', seq: 6n },
        { tree: BMT2, queue: OQ2, type: 'stateV2', seq: 3n },
        null,
        null,
      ],
    });
    expect(encoded).toHaveLength(537);
    expect(encoded.toString('hex')).toBe(
      compact(`
        b48f9f99232ef8a3 0d020000 01 ff 03 00 00 00
        2e5917621e5e8edd2ec7caffdf194d05115a39087f6a6ea8cb1a0c7a6c7d88ea
        00
        04 23f5e024d7fd15ab19961854ea6b2f10921c1b96b84a09397916319312a4feda 0d000000 01 01 00
           27b295e4193f913b3877b26a436da2c576568903b9eb274488cac6f3acfe039e 15dd1d00 00 03 02
           28df948c2143fe480c575b907f27695a7b3222ddad7509ccfbb20aae8adc0e3c 4d050000 01 05 04
           002c7d2a7a40184590945e6149e625b4ef46f2219a025cf239f45645f4dee688 05000000 01 01 00
        00 00
        04 ${BMT3.toString('hex')} ${OQ3.toString('hex')} 0300000000000000 0600000000000000
           ${BMT2.toString('hex')} ${OQ2.toString('hex')} 0300000000000000 0300000000000000
           ${'00'.repeat(160)}
        00 00 00000000`),
    );
  });
});
