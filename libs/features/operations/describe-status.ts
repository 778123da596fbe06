import { type HistoryCoverage } from '@fresnel/adapters/store-write';
import { type ConsumerStatus, type RefusedBlock, type Status, type TreeStatus } from './read-status';
import { describeFinding } from './describe-history';
import { toTable } from './table';

/** The status as text for a terminal. @param nowMs for the age of the chain tip */
export function describeStatus(status: Status, nowMs: number): string {
  const parts = [describeProgress(status, nowMs)];
  if (status.consumers.length > 0) parts.push(describeConsumers(status.consumers));
  if (status.trees.length > 0) parts.push(describeTrees(status.trees));
  if (status.refusedBlocks.length > 0) parts.push(describeRefused(status.refusedBlocks));
  if (status.findings.length > 0) parts.push(status.findings.map(describeFinding).join('\n'));
  parts.push(...status.problems.map((problem) => `no answer from ${problem}`));
  return `${parts.join('\n\n')}\n`;
}

function describeProgress(
  { indexedSlot, chainTip, lagSlots, deadLetters, revision, history }: Status,
  nowMs: number,
): string {
  const seenAt = chainTip?.seenAt;
  const source = seenAt ? `seen ${Math.round((nowMs - seenAt.getTime()) / 1000)} s ago` : 'reported by the node now';
  return toTable([
    ['indexed slot', indexedSlot === null ? 'nothing is indexed yet' : String(indexedSlot)],
    ['chain tip', chainTip === null ? 'not known yet' : `${chainTip.slot}, ${source}`],
    ['lag', lagSlots === null ? '-' : `${lagSlots} slots`],
    ['dead letters', String(deadLetters)],
    ['revision', `${revision} reverts and late additions`],
    ...(history ? [['history', describeCoverage(history)]] : []),
  ]);
}

function describeCoverage({ fromSlot, toSlot, anchorSlot, isChecked, problem, sources }: HistoryCoverage): string {
  const state = isChecked ? 'compared with the chain' : 'not compared with the chain yet';
  const end = anchorSlot === null ? '' : `, ends at ${anchorSlot}`;
  return `slots ${fromSlot} to ${toSlot}${end}, from ${sources.join(', ')}, ${state}${problem === null ? '' : `; it cannot be compared now: ${problem}`}`;
}

function describeConsumers(consumers: readonly ConsumerStatus[]): string {
  const rows = consumers.map(({ group, topic, partition, nextOffset, endOffset, lagRecords }) =>
    [group, topic, partition, nextOffset, endOffset, lagRecords].map(orDash),
  );
  return toTable([['consumer', 'topic', 'partition', 'next offset', 'end', 'lag'], ...rows]);
}

function describeTrees(trees: readonly TreeStatus[]): string {
  const rows = trees.map(({ tree, type, seq, nextLeafIndex, slot, state, reason }) => [
    ...[tree, type, seq, nextLeafIndex, slot].map(orDash),
    reason === null ? state : `${state}: ${reason}`,
  ]);
  return toTable([['tree', 'type', 'seq', 'next leaf', 'slot', 'state'], ...rows]);
}

function describeRefused(blocks: readonly RefusedBlock[]): string {
  const rows = blocks.map(({ partition, slot, blockhash }) => [String(partition), String(slot), blockhash]);
  return toTable([['refused in partition', 'slot', 'blockhash'], ...rows]);
}

function orDash(value: string | number | null): string {
  return value === null ? '-' : String(value);
}
