import { type Topic } from '@fresnel/contracts/messages';
import { jsonCodec } from '@fresnel/testing/messages';

/** A message of the contract suite. Its number selects the partition; a negative number is sent to all partitions. */
export interface Numbered {
  number: number;
}

export const CONTRACT_PARTITIONS = 3;

/** A topic of the contract suite. */
export function numberedTopic(name: string): Topic<Numbered> {
  return {
    name,
    keyOf: ({ number }) => String(number),
    partitionsOf: ({ number }, count) => (number < 0 ? Array.from({ length: count }, (_, at) => at) : [number % count]),
    bytesOf: () => 1,
    codec: jsonCodec(),
  };
}
