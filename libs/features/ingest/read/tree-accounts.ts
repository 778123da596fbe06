import { type CompressionEvent } from '@fresnel/domain/events';
import { type Pubkey } from '@fresnel/domain/primitives';

/** The accounts of trees and queues that an event names. */
export function treeAccountsOf(event: CompressionEvent): Pubkey[] {
  if (event.kind === 'leaf-migrated') return [event.queue];
  if (event.kind !== 'transition') return [event.tree];
  return [
    ...event.inputs.flatMap(({ nullification }) => (nullification ? [nullification.tree] : [])),
    ...event.outputs.map(({ treeAccount }) => treeAccount),
    ...event.newAddresses.map(({ tree }) => tree),
  ];
}
