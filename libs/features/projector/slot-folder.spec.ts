import { type SlotEventsMessage } from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { type AccountFacts, foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { SlotFolder } from './slot-folder';

const EVENTS = readGeneratedSlots([...generateLedger({ seed: 4, slots: 6 })]);
const SLOTS = EVENTS.map((events): SlotEventsMessage => ({ kind: 'slot', events, isOfRange: false }));
const TIP: SlotEventsMessage = { kind: 'tip', slot: toSlot(9), seenAt: new Date(0) };

const fold = (events: SlotEvents) => foldAccounts(events, GENERATED_PROGRAMS.compressedToken, poseidonInline.hashBatch);
const encode = ({ transactions }: AccountFacts) =>
  Promise.resolve(transactions.map(({ transaction }) => Buffer.from(transaction.json)));

describe('SlotFolder', () => {
  const foldAccountsOnce = jest.fn(fold);
  const encodeJson = jest.fn(encode);
  let folder: SlotFolder;
  beforeEach(() => {
    foldAccountsOnce.mockReset().mockImplementation(fold);
    encodeJson.mockReset().mockImplementation(encode);
    folder = new SlotFolder({ foldAccounts: foldAccountsOnce, encodeJson });
  });

  it('returns slots and reverts in the order of their messages', async () => {
    const { slot, blockhash } = EVENTS[1];
    const reverted: SlotEventsMessage = { kind: 'slot-reverted', slot, blockhash };
    const changes = await folder.fold([SLOTS[1], TIP, reverted, SLOTS[0]]);
    expect(changes).toEqual([
      { events: EVENTS[1], facts: await fold(EVENTS[1]), json: expect.any(Promise) as unknown },
      { reverted: { slot, blockhash } },
      { events: EVENTS[0], facts: await fold(EVENTS[0]), json: expect.any(Promise) as unknown },
    ]);
    const [first] = changes;
    expect('events' in first && (await first.json)).toEqual(await encode(await fold(EVENTS[1])));
  });

  it('folds and encodes each slot once, before its batch or with it', async () => {
    const ahead = folder.fold(SLOTS.slice(0, 4));
    const batch = await folder.fold(SLOTS);
    expect(batch.slice(0, 4)).toEqual(await ahead);
    expect(foldAccountsOnce.mock.calls).toEqual(EVENTS.map((events) => [events]));
    expect(encodeJson).toHaveBeenCalledTimes(SLOTS.length);
  });

  it('folds slots again that could not be folded', async () => {
    foldAccountsOnce.mockImplementationOnce(fold).mockRejectedValueOnce(new Error('out of threads'));
    await expect(folder.fold(SLOTS)).rejects.toThrow('out of threads');
    expect(await folder.fold(SLOTS)).toHaveLength(SLOTS.length);
    expect(foldAccountsOnce).toHaveBeenCalledTimes(SLOTS.length + 1);
  });

  it('encodes transactions again that could not be encoded', async () => {
    encodeJson.mockRejectedValueOnce(new Error('out of threads'));
    const json = async () => {
      const [change] = await folder.fold(SLOTS.slice(0, 1));
      return 'events' in change ? change.json : null;
    };
    await expect(json()).rejects.toThrow('out of threads');
    expect(await json()).toEqual(await encode(await fold(EVENTS[0])));
  });
});
