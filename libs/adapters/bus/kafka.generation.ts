import { FIRST_GENERATION } from '@fresnel/contracts/messages';

/**
 * Finds the generation of a log, by the name of the topic in the cluster. It is stored beside the positions of the consumers,
 * and increased when they are reset.
 */
export type GenerationFinder = (topicName: string) => Promise<number>;

/**
 * Finds the generations of all logs at once, at the first call: a producer publishes for those that it has resumed from, also
 * if positions are reset before its first record.
 *
 * @param find returns the generations by name; a log that is not there has the first one
 */
export function joinGenerations(find: () => Promise<ReadonlyMap<string, number>>): GenerationFinder {
  let joined: ReadonlyMap<string, number> | null = null;
  return async (topicName) => {
    const found = joined ?? (await find());
    joined ??= found;
    return joined.get(topicName) ?? FIRST_GENERATION;
  };
}
