import { spawnSync } from 'node:child_process';
import { messageOf } from '@fresnel/domain/primitives';
import { type ServerCommand, SupervisedProcess } from '@fresnel/platform';
import { LocalServerError } from './local-server.error';

/**
 * Starts a server whose working directory is a folder.
 *
 * @param name in the message of an error
 * @throws LocalServerError with the server's last lines when it exits before it is ready
 */
export async function startServer(name: string, folder: string, command: ServerCommand): Promise<SupervisedProcess> {
  try {
    return await SupervisedProcess.start({ ...command, options: { cwd: folder } });
  } catch (error) {
    throw new LocalServerError(`${name} in ${folder} ${messageOf(error)}`, { cause: error });
  }
}

/** @throws LocalServerError with the install command if the program is missing */
export function requireProgram(program: string, install: string): void {
  const { status } = spawnSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' });
  if (status !== 0) throw new LocalServerError(`${program} is missing: ${install}`);
}
