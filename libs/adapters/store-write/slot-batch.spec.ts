import { slotUpdate, testHash } from '@fresnel/testing/slots';
import { toSlot } from '@fresnel/domain/primitives';
import { type SlotChange, toRuns } from './slot-batch';

const revert = (slot: number): SlotChange => ({ reverted: { slot: toSlot(slot), blockhash: testHash(slot) } });
const shapeOf = (slots: SlotChange[]) =>
  toRuns(slots).map(({ reverts, updates }) => [
    reverts.map(({ slot }) => slot),
    updates.map(({ events }) => events.slot),
  ]);

describe('toRuns', () => {
  it('returns one run for slots only, one for reverts only, and none for an empty batch', () => {
    expect(shapeOf([])).toEqual([]);
    expect(shapeOf([slotUpdate(11), slotUpdate(10)])).toEqual([[[], [11, 10]]]);
    expect(shapeOf([revert(12), revert(11)])).toEqual([[[12, 11], []]]);
  });

  it('keeps the order of slots and reverts', () => {
    expect(
      shapeOf([slotUpdate(10), slotUpdate(11), revert(11), slotUpdate(11), revert(11), revert(10), slotUpdate(12)]),
    ).toEqual([
      [[], [10, 11]],
      [[11], [11]],
      [[11, 10], [12]],
    ]);
  });
});
