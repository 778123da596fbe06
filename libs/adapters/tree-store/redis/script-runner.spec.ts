import { TreeStoreUnavailableError } from '../tree-store.errors';
import { defineScript, ScriptRunner } from './script-runner';

const SCRIPT = defineScript('return 1');

/** A runner on a connection on which every command fails with an error reply. */
function runnerOf(message: string): ScriptRunner {
  const callBuffer = () => Promise.reject(Object.assign(new Error(message), { name: 'ReplyError' }));
  return new ScriptRunner({ callBuffer, on: () => undefined });
}

describe('a script', () => {
  it.each([
    "OOM command not allowed when used memory > 'maxmemory'. script: 82f3c7a1, on @user_script:2.",
    "ERR Error running script (call to f_82f3c7a1): @user_script:2: @user_script: 2: -OOM command not allowed when used memory > 'maxmemory'. ",
  ])('can be retried if Redis is out of memory: %s', async (message) => {
    const run = runnerOf(message).run(SCRIPT, ['key'], []);
    await expect(run).rejects.toThrow(TreeStoreUnavailableError);
    await expect(run).rejects.toThrow(`Redis is unavailable: ${message}`);
  });

  it('fails with the error of Redis if the script is wrong', async () => {
    const message = 'ERR Error running script (call to f_82f3c7a1): @user_script:1: attempt to index a nil value ';
    const run = runnerOf(message).run(SCRIPT, ['key'], []);
    await expect(run).rejects.toMatchObject({ name: 'ReplyError', message });
  });
});
