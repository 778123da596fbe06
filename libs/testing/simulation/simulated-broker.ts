import { isOutdated, OffsetOutOfRangeError } from '@fresnel/adapters/bus';
import { FIRST_GENERATION, GENERATION_HEADER, type Topic } from '@fresnel/contracts/messages';
import { type SpanContext } from '@fresnel/platform';

/** A record of a partition. */
export interface BrokerRecord {
  message: unknown;
  publisher: SpanContext | undefined;
  offset: string;
  headers: Record<string, string>;
}

/** The records of a partition that are not deleted. */
interface Log {
  /** The offset of the first one. */
  start: number;
  records: BrokerRecord[];
}

interface Group {
  /** Members in the order in which they joined. */
  members: string[];
  /** The member of each partition; absent: none. */
  assignment: Map<number, string>;
  /** Committed offsets by partition. */
  committed: Map<number, bigint>;
}

/** The state of a simulated cluster: logs that keep all records until a reset, groups with their members and committed offsets. */
export class SimulatedBroker {
  private readonly logs = new Map<string, Log[]>();
  private readonly groups = new Map<string, Group>();

  /** @param partitionsOf the number of partitions of a topic */
  constructor(readonly partitionsOf: (topic: string) => number) {}

  append<Message>(
    topic: Topic<Message>,
    messages: readonly Message[],
    publisher: SpanContext | undefined,
    generation = FIRST_GENERATION,
  ): void {
    const logs = this.logsOf(topic.name);
    const headers = { [GENERATION_HEADER]: String(generation) };
    for (const message of messages) {
      for (const partition of topic.partitionsOf(message, logs.length)) {
        const { start, records } = logs[partition];
        records.push({ message, publisher, offset: String(start + records.length), headers });
      }
    }
  }

  /** Deletes all records of a topic. */
  deleteRecords(topic: string): void {
    for (const log of this.logsOf(topic)) {
      log.start += log.records.length;
      log.records = [];
    }
  }

  /** Records from an offset on, at most `limit`. @throws OffsetOutOfRangeError */
  read(topic: string, partition: number, from: bigint, limit: number): BrokerRecord[] {
    const { start, records } = this.logsOf(topic)[partition];
    const at = Number(from) - start;
    if (at < 0 || at > records.length) {
      throw new OffsetOutOfRangeError(
        `${topic}/${partition} contains ${start} to ${start + records.length}, not ${from}`,
      );
    }
    return records.slice(at, at + limit);
  }

  /** The records of a partition that are not deleted, from an offset on. */
  recordsSince(topic: string, partition: number, offset: bigint): BrokerRecord[] {
    const { start, records } = this.logsOf(topic)[partition];
    return records.slice(Math.max(0, Number(offset) - start));
  }

  /** The records of a generation by partition, oldest first. */
  recordsOf(topic: string, generation = FIRST_GENERATION): BrokerRecord[][] {
    return this.logsOf(topic).map(({ records }, partition) =>
      records.filter((record) => !isOutdated({ topicName: topic, partition }, record, generation)),
    );
  }

  /** Offsets after the last record, by partition. */
  endsOf(topic: string): bigint[] {
    return this.logsOf(topic).map(({ start, records }) => BigInt(start + records.length));
  }

  /** Adds a member, and assigns the partitions anew. */
  join(groupName: string, topic: string, member: string): void {
    const group = this.groupOf(groupName, topic);
    group.members.push(member);
    this.assign(group, topic);
  }

  leave(groupName: string, topic: string, member: string): void {
    const group = this.groupOf(groupName, topic);
    group.members = group.members.filter((name) => name !== member);
    this.assign(group, topic);
  }

  /** Removes the members of a process that was killed. */
  remove(process: string): void {
    for (const [key, group] of this.groups) {
      const members = group.members.filter((name) => !name.startsWith(`${process}#`));
      if (members.length === group.members.length) continue;
      group.members = members;
      this.assign(group, key.slice(key.indexOf(' ') + 1));
    }
  }

  /** Assigns a partition to another member, as after a missed heartbeat. @returns the member; null if there is no other */
  reassign(groupName: string, topic: string, partition: number, pick: (members: string[]) => string): string | null {
    const group = this.groupOf(groupName, topic);
    const others = group.members.filter((name) => name !== group.assignment.get(partition));
    if (others.length === 0) return null;
    const member = pick(others);
    group.assignment.set(partition, member);
    return member;
  }

  /** The partitions that are assigned to a member. */
  assignedTo(groupName: string, topic: string, member: string): number[] {
    const { assignment } = this.groupOf(groupName, topic);
    return [...assignment].flatMap(([partition, name]) => (name === member ? [partition] : []));
  }

  /** The partitions that are assigned to the members of a process. */
  partitionsOfProcess(groupName: string, topic: string, process: string): number[] {
    const { assignment } = this.groupOf(groupName, topic);
    return [...assignment].flatMap(([partition, name]) => (name.startsWith(`${process}#`) ? [partition] : []));
  }

  commit(groupName: string, topic: string, partition: number, offset: bigint): void {
    this.groupOf(groupName, topic).committed.set(partition, offset);
  }

  /** Records that a group has not applied, by partition, according to its committed offsets. */
  lagsOf(groupName: string, topic: string): number[] {
    const { committed } = this.groupOf(groupName, topic);
    return this.endsOf(topic).map((end, partition) => Number(end - (committed.get(partition) ?? 0n)));
  }

  /** Whether a group has applied all records before some offsets. */
  hasApplied(groupName: string, topic: string, ends: readonly bigint[]): boolean {
    const { committed } = this.groupOf(groupName, topic);
    return ends.every((end, partition) => (committed.get(partition) ?? 0n) >= end);
  }

  private assign(group: Group, topic: string): void {
    const { members } = group;
    group.assignment = new Map();
    if (members.length === 0) return;
    for (let partition = 0; partition < this.partitionsOf(topic); partition++) {
      group.assignment.set(partition, members[partition % members.length]);
    }
  }

  private logsOf(topic: string): Log[] {
    const known = this.logs.get(topic);
    if (known) return known;
    const logs = Array.from({ length: this.partitionsOf(topic) }, (): Log => ({ start: 0, records: [] }));
    this.logs.set(topic, logs);
    return logs;
  }

  private groupOf(groupName: string, topic: string): Group {
    const key = `${groupName} ${topic}`;
    const known = this.groups.get(key);
    if (known) return known;
    const group: Group = { members: [], assignment: new Map(), committed: new Map() };
    this.groups.set(key, group);
    return group;
  }
}
