import { type Hash } from '@fresnel/domain/primitives';
import { generatedTrees } from '../generated-trees';
import { StateTreeV2 } from './state-tree-v2';

const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;
const [, , info] = generatedTrees();

/** The first outputs of a recorded tree, in the order of their queue. */
const OUTPUTS = [
  '24709e73bbe39485b7fc77c1af319fbcf3992260a3c3503bf51ef887f594d0ca',
  '185ae25a66937ef9320194891172985afc78660a16d60b53c07614c718dbb836',
  '11a47c6f32ba363fdd16665fc39f3b1ca2c4e57f936c49c1701cbfd0e6e47fb0',
  '0f8bc427bbaed66d4e28f77739ef175298f29dc5b2bfdcd2330cfb3f4869ab50',
  '17db4d32ff495bbf13d25209123e88d3d5aaad4269a1ab53e086e6b019b2c001',
  '1a67e4b628425f25c4078302cd06536026f17fd2c69e26e5a1e0a6b3960c3301',
  '1489371c0ecfc47977a6cc14a232ee40d431bfdbb18c4ab19b28ea7d53bd7163',
  '1feafc79b0ed8e4a164849dccfcf6eb2ddd7370fece7b60769c13caa669541a6',
  '00271f88e202b188ffe8e2d350f38461b5edc3f9eebbcc0801e2baa308205557',
  '026068dcadfb0ed350344e088bd06e60ba582079f6b756a9ed53eefc16e4e0ff',
  '16baf5c545edec929ac9b566fe0cd3b256401b5da740e0e0527b30471f422c8f',
  '1089f77a2544f25c6a3c93ee545cace50a313ba8e9bc25218e6c1c405290cd17',
  '233b40f8d95a8bf130eca98466f0bf548fe2e251655abc779a4a0f6124fff2fe',
  '11d229d536b793aadab76bdedc1ef4236ab74e40d6c2f89d50cfe8153d6fa4bb',
  '223f01f7b25d81a336ddf606272c846b96f1d955b9966bb60cbdbcc4da54c2d6',
  '12d1e47f4d027c6f6066e82f89717ee8bfc417f0ab827d14c17e3a199f1b9dce',
  '04e54de4f6ffd5f515664dfad3ac73c60cb72df5c232f293d12a87f9772213af',
  '2dfba3656e897d1b7ee8277e1cd60479668031b61dc7d96b7c03c8468ac789c2',
  '0ae5ea87215e4792547988303f7321ce0bc128454cf5dc669c8126e6d8856969',
  '0ab202b3eb40fcee1d1224053e7fba7163dd8bcb4058ba7bf829cd55811cc75d',
  '2b6b75d83ebe18442366fc5f2a7362ac5c00917f2c643c149c9b4554f240d314',
  '2d6dd28e6c73b5251fedae0a68c0f455d48d12be422779ab1885c7a40a8e0de2',
  '1c5f97475be029562ff354637c9df6e8012cb515db464322c5a02a8c4d5bd533',
  '123117158381f09494b985d78e36db36fd4c23bc0f5b948bac7df40b5158e806',
  '088b266c2d2b0466480dc80d6624eab67bda7f408ffc5607cf53c0fb1b9f7cc5',
  '1ef82315d2956e02f8f53249b2b298b9424927e87b2cfd5155fa3ce3f21f35e4',
  '248a1d4b94af3b7e157066ba36f8c99a9c2fcb31947739ea00e6e09e127b0dff',
  '234336ef7886ccaedfefb4ae261c461b4a3af9400ffcab1de322efa361ae01f1',
  '0ebdd7b44cd3841ca399fa5067ffe9b96a64aea0162b81b8c0cdcd9f329e4d5c',
  '150021cb5a48c7735b8bc3eff8d303f1dbbecf54c688c29d09a06478ac44adb2',
].map(hash);

/** The first nullifiers of that tree with their leaf indices. */
const NULLIFIED: [leafIndex: number, nullifier: string][] = [
  [0, '08f978c55e14d4840f0c6869e2753fe63dc15aba2cbc04b0ae2dac1af7ea9595'],
  [2, '002e663ad143fb056d1eebfae1e84b44897dcdd99d5b5aca74864e7525bd2e3a'],
  [4, '07a494c8da46b2e13525a072ab01acb0a5db49ba23f606d43e54741d849d45ff'],
  [6, '09294549a64fefb6c8126121e397c02832ff05d4ee1907dc482ec56e25682b46'],
  [8, '03bd257e0a55f269c27157b9f39089e27b5aa095026f4841aaf1436607070f25'],
  [1, '223cdcd93a22df85292a24970b9e7e5b1f07b1b2dca4f154b1bcba783f3dcaa9'],
  [5, '14086a386d8e3e66e6d92e0b7fcb0329c964b0697ad93784747c93cad9285982'],
  [9, '1bf027c210df18b695aee146d544f75b7cc6e4ab7d6b617c3827906225164f55'],
  [11, '17bfe522ac0085bfd6e753b3cf20f806220ee87a35378fd67db4b3040d16b441'],
  [13, '015bf7553f4f1152ee70c7364be32f4a0cb012ff2f523f546cc992e2480b7942'],
];
const INPUTS = NULLIFIED.map(([leafIndex, nullifier]) => ({ leafIndex, nullifier: hash(nullifier) }));

function treeWith(outputs: readonly Hash[], inputs: typeof INPUTS): StateTreeV2 {
  const tree = new StateTreeV2(info);
  for (const output of outputs) tree.append(output);
  inputs.forEach(({ leafIndex, nullifier }, i) => {
    tree.consume(leafIndex, { queueIndex: BigInt(i), nullifier });
  });
  return tree;
}

describe('StateTreeV2', () => {
  it('computes the recorded root of each batch', () => {
    const tree = treeWith(OUTPUTS, INPUTS);
    const roots = [];
    for (const step of ['append', 'append', 'nullify', 'append'] as const) {
      if (step === 'append') tree.appendBatch(10);
      else tree.nullifyBatch(10);
      roots.push(tree.nodes.root().toString('hex'));
    }
    expect(roots).toEqual([
      '2d1955266ae628efa17617118a536f986fc1b2c4e9fded71caf2d6ed6e2f7ef7',
      '244ba0db2a39fdfe14f949a1a46a4babd6f258086583b253a67430c50456d5eb',
      '2fa71ad8f6a984b3dcfa7aa6d0e832aa0dd7b04f9267534699654e538566e503',
      '09b4536767cd38170236aa8e0ee044ea0f1932e2f9c7083aa67ec04ec53e1e08',
    ]);
    expect(tree.seq).toBe(4n);
  });

  it('computes the root of the next batch in advance', () => {
    const tree = treeWith(OUTPUTS, INPUTS);
    const predicted = tree.rootAfterAppend(10);
    tree.appendBatch(10);
    expect(tree.nodes.root()).toEqual(predicted);
    const afterNullify = tree.rootAfterNullify(10);
    tree.nullifyBatch(10);
    expect(tree.nodes.root()).toEqual(afterNullify);
  });

  it('keeps a leaf that was nullified before it was appended', () => {
    const early = OUTPUTS.slice(0, 10).map((nullifier, leafIndex) => ({ leafIndex, nullifier }));
    const tree = treeWith(OUTPUTS, early);
    tree.nullifyBatch(10);
    const root = tree.nodes.root();
    tree.appendBatch(10);
    expect(tree.nodes.root()).toEqual(root);
    expect(tree.seq).toBe(2n);
    expect(tree.isQueued(9)).toBe(false);
    expect(tree.isQueued(10)).toBe(true);
  });
});
