/**
 * Finds the generation of a log, by the name of the topic in the cluster. It is stored beside the positions of the consumers,
 * and increased when they are reset.
 */
export type GenerationFinder = (topicName: string) => Promise<number>;
