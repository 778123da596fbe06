import { parseForwardedMethods } from './forwarded-methods';

describe('parseForwardedMethods', () => {
  it('accepts names, and default for the usual methods', () => {
    expect(parseForwardedMethods('getSlot, getBlock')).toEqual({
      always: ['getSlot', 'getBlock'],
      onPrivateChains: [],
    });
    expect(parseForwardedMethods('default').always).toEqual(
      expect.arrayContaining(['getLatestBlockhash', 'sendTransaction']),
    );
    const extended = parseForwardedMethods('getSlot,default,getBlock').always;
    expect(extended.filter((name) => name === 'getSlot')).toHaveLength(1);
    expect(extended.at(-1)).toBe('getBlock');
  });

  it.each([
    ['default', [], ['requestAirdrop']],
    ['default,requestAirdrop', ['requestAirdrop'], []],
    ['getSlot,requestAirdrop', ['requestAirdrop'], []],
    ['getSlot', [], []],
  ])('has airdrops in %j', (text, always, onPrivateChains) => {
    const parsed = parseForwardedMethods(text);
    expect(parsed.always.filter((name) => name === 'requestAirdrop')).toEqual(always);
    expect(parsed.onPrivateChains).toEqual(onPrivateChains);
  });

  it.each([
    ['getSlot,', '"" is not the name of a method'],
    ['get slot', '"get slot" is not the name of a method'],
    ['getSlot,getCompressedAccount', 'getCompressedAccount is a method of the gateway and cannot be forwarded'],
    ['liveness', 'liveness is a method of the gateway and cannot be forwarded'],
  ])('rejects %j', (text, message) => {
    expect(() => parseForwardedMethods(text)).toThrow(message);
  });
});
