import { type GeneratedBlock } from '@fresnel/ledger-generator';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { RunningProjector } from '@fresnel/testing/projector';
import { createTestDatabase, digestState } from '@fresnel/testing/store';

/**
 * Digest of the tables after a run without any fault: one projector in this process persists the blocks in order, in a
 * database of its own. Parsing and projection are those of the services.
 */
export async function digestCleanRun(blocks: readonly GeneratedBlock[]): Promise<string> {
  const database = await createTestDatabase();
  try {
    const projector = await RunningProjector.start(database.dataSource);
    await projector.publish(readGeneratedSlots(blocks).map((events) => ({ kind: 'slot', events, isOfRange: false })));
    await projector.drain();
    await projector.end();
    return await digestState(database.dataSource);
  } finally {
    await database.drop();
  }
}
