import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Linux reports CPU time in these to all programs. */
const TICKS_PER_SECOND = 100;

interface ProcessRow {
  pid: number;
  parent: number;
  rssKb: number;
  command: string;
}

/**
 * Reads the resident memory of a process and of its descendants, in bytes by name. Processes with the same name are added up.
 * On Linux, processes that share a page count a part of it each, so that the buffers of a Postgres are counted once.
 *
 * @param nameOf returns the name of a process; null: it is not counted
 */
export function readMemory(root: number, nameOf: (pid: number, command: string) => string | null): Map<string, number> {
  const rows = listProcesses();
  const counted = new Set([root]);
  // Parents may be listed after their children.
  for (let size = 0; size < counted.size;) {
    size = counted.size;
    for (const { pid, parent } of rows) if (counted.has(parent)) counted.add(pid);
  }
  const memory = new Map<string, number>();
  for (const { pid, rssKb, command } of rows) {
    const name = counted.has(pid) ? nameOf(pid, command) : null;
    if (name !== null) memory.set(name, (memory.get(name) ?? 0) + 1024 * (readSharedOut(pid) ?? rssKb));
  }
  return memory;
}

/** The highest resident memory that a process has had, in bytes. NaN: the system does not report it, or the process has ended */
export function readPeakMemory(pid: number): number {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? NaN : 1024 * Number(match[1]);
  } catch {
    return NaN;
  }
}

/** The CPU time that a process has used, in all of its threads. NaN: the system does not report it, or the process has ended */
export function readCpuSeconds(pid: number): number {
  try {
    // The name, in parentheses, may have spaces.
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/** The proportional set size of a process in KiB. null: the system has none, or the process has ended */
function readSharedOut(pid: number): number | null {
  try {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return match && Number(match[1]);
  } catch {
    return null;
  }
}

function listProcesses(): ProcessRow[] {
  const output = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,rss=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (match === null) return [];
    const [, pid, parent, rssKb, command] = match;
    return [{ pid: Number(pid), parent: Number(parent), rssKb: Number(rssKb), command }];
  });
}
