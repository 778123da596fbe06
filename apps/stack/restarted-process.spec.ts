import { captureLog, until } from '@fresnel/testing/generic';
import { type RunningProcess, RestartedProcess } from './restarted-process';

/** A process that exits when the test calls `exit`. */
class FakeProcess implements RunningProcess {
  isStopped = false;
  exit: (details: object) => void = () => undefined;
  private readonly ended = new Promise<object>((done) => (this.exit = done));

  exited(): Promise<object> {
    return this.ended;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }
}

describe('RestartedProcess', () => {
  it('restarts a process that exits, also after a restart that failed', async () => {
    const { logger, lines } = captureLog();
    const started: FakeProcess[] = [];
    let failures = 0;
    const start = () => {
      if (started.length === 1 && failures++ === 0) return Promise.reject(new Error('port is taken'));
      started.push(new FakeProcess());
      return Promise.resolve(started[started.length - 1]);
    };
    const server = await RestartedProcess.start({ service: 'ingest' }, start, logger);
    started[0].exit({ code: 1 });
    await until(() => started.length === 2);
    await server.stop();
    expect(started.map(({ isStopped }) => isStopped)).toEqual([false, true]);
    expect(lines).toMatchObject([
      { level: 'error', service: 'ingest', code: 1, restartInMs: 250, msg: 'process exited, restarting it' },
      { level: 'error', service: 'ingest', msg: 'process cannot be started' },
    ]);
  });

  it('does not restart a process after stop', async () => {
    const started: FakeProcess[] = [];
    const start = () => {
      started.push(new FakeProcess());
      return Promise.resolve(started[started.length - 1]);
    };
    const server = await RestartedProcess.start({}, start, captureLog().logger);
    started[0].exit({});
    await server.stop();
    expect(started.length).toBe(1);
  });

  it('reports a first start that fails', async () => {
    const start = () => Promise.reject(new Error('java is missing'));
    await expect(RestartedProcess.start({}, start, captureLog().logger)).rejects.toThrow('java is missing');
  });
});
