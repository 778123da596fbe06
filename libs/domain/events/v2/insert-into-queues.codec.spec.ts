import { MalformedBytesError, parsePubkey, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { type Instruction } from '../instruction-groups';
import { decodeInsertIntoQueues } from './insert-into-queues.codec';

const TREE = parsePubkey('HLKs5NJ8FXkJg8BrzJt56adFYYuwg5etzDtBbQYTsixu');
const QUEUE = parsePubkey('6L7SzhYB3anwEQ9cphpJ1U7Scwj57bx2xueReg7R9cKU');
const SMT1 = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
const EZKE = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');
const hex = (text: string) => text.replace(/\s/g, '');

/** An insert with two fixed accounts, followed by the accounts that indices refer to. */
function insert(data: string, treeAccounts: Pubkey[]): Instruction {
  const fixed = Buffer.alloc(32) as Pubkey;
  return {
    programId: fixed,
    accounts: [fixed, fixed, ...treeAccounts],
    data: Buffer.from(hex(data), 'hex'),
    stackHeight: 3,
  };
}

/** Recorded: one account of a V2 tree consumed, one created. */
const TRANSFER = `
  b48f9f99232ef8a3 1d010000 01ff01010000
  1668b1a91dba0b6cce9c3766ac7bb4cf8c4097b609280509ee5552642524d1a3
  01 00 12d57709f8c3a74520d626d73c3f26d0d6d1a11765270b18f4791632fb7f640b
  01 1de80184b138780ce6bfca6a1f2afb683f301bc58a372933e6cd7945f3c6c91d 00000000 01 01 00
  00
  01 f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe
     4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db 0300000000000000 0100000000000000
  01 f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe
     4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db 0300000000000000 0000000000000000
  00
  01 01000000
  00000000`;

describe('decodeInsertIntoQueues', () => {
  it('reads a recorded transfer inside a V2 tree', () => {
    const decoded = decodeInsertIntoQueues(insert(TRANSFER, [QUEUE, TREE]));
    expect(toBase58(decoded.txHash)).toBe('2WUZZ2KLpSA8Yum9BVZt3vK8nBb5nFRasiiWeqe7XfGv');
    expect(decoded.leaves.map(({ hash, leafIndex, treeAccount }) => [toBase58(hash), leafIndex, treeAccount])).toEqual([
      ['2GX8RsmXywnbe9MP71NuqhJppRCV1rdJGHsKeG4jew54', 1, QUEUE],
    ]);
    expect(decoded.inputs).toEqual([
      {
        hash: Buffer.from('1de80184b138780ce6bfca6a1f2afb683f301bc58a372933e6cd7945f3c6c91d', 'hex'),
        nullification: { tree: TREE, leafIndex: 0, queueIndex: 0n, txHash: decoded.txHash },
      },
    ]);
    expect(decoded.outputSequences).toEqual([{ tree: TREE, seq: 1n }]);
    expect([decoded.newAddresses, decoded.cpiContextOutputs]).toEqual([[], []]);
  });

  it('reads a recorded new address beside an output in a V1 tree', () => {
    const data = `
      b48f9f99232ef8a3 18010000 01ff00010101 ${'00'.repeat(32)}
      01 01 1cd576f7afbe993135aa3ce1971873b2705bca10700d8dc152e536abef8947bb
      00
      01 000f8ee15579e49fa6a914b0e379661d1b9577881c1af1852c636ff8d293e7a9 00 00
      01 ${SMT1.toString('hex')} ${SMT1.toString('hex')} 0100000000000000 0100000000000000
      00
      01 ${EZKE.toString('hex')} ${'00'.repeat(32)} 0400000000000000 0000000000000000
      01 00000000
      00000000`;
    const decoded = decodeInsertIntoQueues(insert(data, [EZKE, SMT1]));
    expect(decoded.leaves[0]).toMatchObject({ leafIndex: 0, treeAccount: SMT1 });
    expect(decoded.newAddresses).toEqual([
      {
        address: Buffer.from('000f8ee15579e49fa6a914b0e379661d1b9577881c1af1852c636ff8d293e7a9', 'hex'),
        tree: EZKE,
        queueIndex: 0n,
      },
    ]);
    expect(decoded.outputSequences).toEqual([{ tree: SMT1, seq: 1n }]);
  });

  it('assigns queue positions per tree, none to V1 inputs, and ignores unused entries', () => {
    const [oq3, bmt3, nfq5, smt5, oq2, bmt2] = [1, 2, 3, 4, 5, 6].map((seed) => Buffer.alloc(32, seed) as Pubkey);
    const data = `
      b48f9f99232ef8a3 0d020000 01ff03000000
      2e5917621e5e8edd2ec7caffdf194d05115a39087f6a6ea8cb1a0c7a6c7d88ea
      00
      04 23f5e024d7fd15ab19961854ea6b2f10921c1b96b84a09397916319312a4feda 0d000000 01 01 00
         27b295e4193f913b3877b26a436da2c576568903b9eb274488cac6f3acfe039e 15dd1d00 00 03 02
         28df948c2143fe480c575b907f27695a7b3222ddad7509ccfbb20aae8adc0e3c 4d050000 01 05 04
         002c7d2a7a40184590945e6149e625b4ef46f2219a025cf239f45645f4dee688 05000000 01 01 00
      00 00
      04 ${bmt3.toString('hex')} ${oq3.toString('hex')} 0300000000000000 0600000000000000
         ${bmt2.toString('hex')} ${oq2.toString('hex')} 0300000000000000 0300000000000000
         ${'00'.repeat(160)}
      00 00 00000000`;
    const { inputs } = decodeInsertIntoQueues(insert(data, [oq3, bmt3, nfq5, smt5, oq2, bmt2]));
    expect(inputs.map(({ nullification }) => nullification && [nullification.tree, nullification.queueIndex])).toEqual([
      [bmt3, 6n],
      null,
      [bmt2, 3n],
      [bmt3, 7n],
    ]);
    expect(inputs.map(({ nullification }) => nullification?.leafIndex)).toEqual([13, undefined, 1357, 5]);
  });

  it('rejects truncated data, and indices that are out of range', () => {
    const whole = insert(TRANSFER, [QUEUE, TREE]);
    for (let length = 12; length < whole.data.length; length += 5) {
      expect(() => decodeInsertIntoQueues({ ...whole, data: whole.data.subarray(0, length) })).toThrow(
        MalformedBytesError,
      );
    }
    expect(() => decodeInsertIntoQueues(insert(TRANSFER, [QUEUE]))).toThrow('account 1 of 1');
  });
});
