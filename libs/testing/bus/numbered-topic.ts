import { type Topic } from '@fresnel/contracts/messages';
import { jsonCodec } from '@fresnel/testing/messages';

/** A message for the contract: its number decides the partition, below zero it goes to all. */
export interface Numbered {
  number: number;
}

export const CONTRACT_PARTITIONS = 3;

/** How topics of the contract route. */
export function numberedTopic(name: string): Topic<Numbered> {
  return {
    name,
    keyOf: ({ number }) => String(number),
    partitionsOf: ({ number }, count) => (number < 0 ? Array.from({ length: count }, (_, at) => at) : [number % count]),
    codec: jsonCodec(),
  };
}
