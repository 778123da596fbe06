import { execFileSync } from 'node:child_process';

interface ProcessRow {
  pid: number;
  parent: number;
  rssKb: number;
  command: string;
}

/**
 * Reads the resident memory of a process and of its descendants, in bytes by name. Processes with the same name are added up.
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
    if (name !== null) memory.set(name, (memory.get(name) ?? 0) + rssKb * 1024);
  }
  return memory;
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
