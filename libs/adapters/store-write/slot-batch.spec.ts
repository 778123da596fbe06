import { slotUpdate, testHash } from '@fresnel/testing/slots';
import { toSlot } from '@fresnel/domain/primitives';
import { type SlotChange, toRuns } from './slot-batch';

const revert = (slot: number): SlotChange => ({ reverted: { slot: toSlot(slot), blockhash: testHash(slot) } });
const adopt = (slot: number): SlotChange => ({ adopted: { slot: toSlot(slot), blockhash: testHash(slot) } });
const shapeOf = (slots: SlotChange[]) =>
  toRuns(slots).map((run) => [
    run.kind,
    ...(run.kind === 'updates' ? run.updates.map(({ events }) => events.slot) : run.blocks.map(({ slot }) => slot)),
  ]);

describe('toRuns', () => {
  it('returns one run for slots only, one for reverts only, and none for an empty batch', () => {
    expect(shapeOf([])).toEqual([]);
    expect(shapeOf([slotUpdate(11), slotUpdate(10)])).toEqual([['updates', 11, 10]]);
    expect(shapeOf([revert(12), revert(11)])).toEqual([['reverts', 12, 11]]);
  });

  it('keeps the order of slots, reverts and adoptions', () => {
    expect(
      shapeOf([slotUpdate(10), slotUpdate(11), revert(11), revert(10), adopt(10), adopt(11), slotUpdate(10)]),
    ).toEqual([
      ['updates', 10, 11],
      ['reverts', 11, 10],
      ['adoptions', 10, 11],
      ['updates', 10],
    ]);
  });
});
