import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapesOf, toPlainMessage } from '@fresnel/testing/generic';
import { SLOT_EVENTS, type Topic, TREE_UPDATES } from './index';

const FOLDER = join(__dirname, 'examples');

/** Names of the recorded messages of a version, without their endings. */
function examplesOf(topic: string, version: number): string[] {
  return readdirSync(join(FOLDER, topic, String(version)))
    .filter((file) => file.endsWith('.bin'))
    .map((file) => join(FOLDER, topic, String(version), file.slice(0, -'.bin'.length)));
}

function describeExamples<Message>({ name, codec }: Topic<Message>, shapes: readonly string[]): void {
  const versions = [codec.version, codec.version - 1].filter((version) => version > 0);
  describe.each(versions)(`recorded messages of ${name}, version %d,`, (version) => {
    const messages = examplesOf(name, version).map((file) => ({
      message: codec.decode(readFileSync(`${file}.bin`), version),
      expected: JSON.parse(readFileSync(`${file}.json`, 'utf8')) as unknown,
    }));

    it('decode to the recorded JSON', () => {
      for (const { message, expected } of messages) expect(toPlainMessage(message)).toEqual(expected);
    });

    it('contain every kind, and optional fields both present and absent', () => {
      const seen = new Set(messages.flatMap(({ message }) => shapesOf(message)));
      expect([...seen]).toEqual(expect.arrayContaining([...shapes]));
    });
  });
}

const EVENT = 'slot.events.transactions[].events[]';
const OUTPUT = `${EVENT}transition.outputs[]`;

describeExamples(SLOT_EVENTS, [
  'tip',
  'slot-reverted',
  'slot-reverted.forkPoint',
  `${EVENT}transition`,
  `${EVENT}leaves-nullified`,
  `${EVENT}leaf-migrated`,
  `${EVENT}addresses-inserted`,
  `${EVENT}batch-append`,
  `${EVENT}batch-nullify`,
  `${EVENT}batch-address-append`,
  `${EVENT}transition.inputs[].nullification null`,
  `${EVENT}transition.inputs[].nullification`,
  `${EVENT}transition.newAddresses[].queueIndex null`,
  `${EVENT}transition.newAddresses[].queueIndex set`,
  `${OUTPUT}.body`,
  `${OUTPUT}.body.data null`,
  `${OUTPUT}.body.data`,
  `${OUTPUT}.body.address null`,
  `${OUTPUT}.body.address set`,
  'slot.events.transactions empty',
  'slot.events.deadLetters empty',
  'slot.events.deadLetters filled',
  'slot.events.signatures null',
  'slot.events.signatures filled',
  'slot.previousChange',
  'slot.events.attested',
  'slot-adopted',
]);

describeExamples(TREE_UPDATES, [
  'watermark.previousChange null',
  'watermark.previousChange',
  'watermark.silentBlocks empty',
  'watermark.silentBlocks filled',
  'slot-adopted',
  'slot-reverted',
  'slot-reverted.forkPoint',
  'update.previousChange null',
  'update.previousChange',
  'update.silentBlocks empty',
  'update.silentBlocks filled',
  'update.update.changes empty',
  'update.update.changes[]address-insert',
  'update.update.changes[]address-queued',
  'update.update.changes[]address-batch',
  'update.update.changes[]leaf-migrated',
]);
