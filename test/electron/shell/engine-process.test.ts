import type { UtilityProcess } from 'electron';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineState } from '../../../electron/contract/index.ts';
import type { FromEngine, ToEngine } from '../../../electron/hosts/index.ts';
import { EngineProcess } from '../../../electron/shell/engine-process.ts';

/** Electron's side: a utility process that does what the test says. */
class TestProcess extends EventEmitter {
  readonly heard: ToEngine[] = [];
  wasKilled = false;
  postMessage(message: ToEngine): void {
    this.heard.push(message);
  }
  kill(): boolean {
    return (this.wasKilled = true);
  }
  says(message: FromEngine): void {
    this.emit('message', message);
  }
  ends(code: number): void {
    this.emit('exit', code);
  }
}

function scene() {
  const processes: TestProcess[] = [];
  const states: EngineState[] = [];
  let ends = 0;
  const engine = new EngineProcess({
    fork: () => {
      const made = new TestProcess();
      processes.push(made);
      return made as unknown as UtilityProcess;
    },
    nowMs: () => Date.now(),
    onState: (state) => void states.push(state),
    onMessage: () => {},
    onEnd: () => {
      ends += 1;
    },
    log: () => {},
  });
  const last = (): TestProcess => processes.at(-1) as TestProcess;
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { engine, processes, states, last, pass, ends: () => ends };
}

describe("the engine's process", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is ready when it says so, without a word to the person', () => {
    const { engine, states, last } = scene();
    engine.start();
    last().says({ kind: 'ready', lab: '/lab', takenUp: [] });
    expect(states).toEqual([{ state: 'ready', sentence: null, restarts: 0 }]);
  });

  it('is started again when it dies, and the person is told before and after', async () => {
    const { engine, processes, states, last, pass, ends } = scene();
    engine.start();
    last().says({ kind: 'ready', lab: '/lab', takenUp: [] });
    last().ends(11);
    await pass(300);
    expect([processes.length, ends()]).toEqual([2, 1]);
    last().says({ kind: 'ready', lab: '/lab', takenUp: [] });
    expect(states.map(({ state, restarts }) => `${state} ${restarts}`)).toEqual([
      'ready 0',
      'restarting 1',
      'ready 1',
    ]);
    expect(states.at(-1)?.sentence).toContain('was started again (once so far)');
  });

  it('that dies again and again is given up, until a person asks', async () => {
    const { engine, processes, states, last, pass } = scene();
    engine.start();
    for (let n = 0; n < 6; n += 1) {
      last().ends(1);
      await pass(10_000);
    }
    expect(processes).toHaveLength(6);
    expect(states.at(-1)).toMatchObject({ state: 'failed', restarts: 5 });
    expect(states.at(-1)?.sentence).toContain('6 times within 10 minutes');
    engine.restart();
    expect(processes).toHaveLength(7);
    expect(engine.state.state).toBe('starting');
  });

  it('that the lab refuses is not started again by itself; the reason is the person’s', async () => {
    const { engine, processes, states, last, pass } = scene();
    engine.start();
    last().says({ kind: 'failed', sentence: 'Another program has the lab open.' });
    last().ends(1);
    await pass(60_000);
    expect(processes).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ state: 'failed', sentence: 'Another program has the lab open.' });
  });

  it('is not started twice by asking twice', () => {
    const { engine, processes } = scene();
    engine.start();
    engine.start();
    engine.restart();
    expect(processes).toHaveLength(1);
  });

  it('tells its runs at work, and nothing where it does not answer', async () => {
    const { engine, last, pass } = scene();
    engine.start();
    expect(await engine.work()).toEqual([]);
    last().says({ kind: 'ready', lab: '/lab', takenUp: [] });
    const asked = engine.work();
    const run = { id: 'r', name: 'Night', state: 'stepping', step: 1, steps: 2 };
    last().says({ kind: 'work', id: 1, runs: [run] });
    expect(await asked).toEqual([run]);
    const unanswered = engine.work();
    await pass(3000);
    expect(await unanswered).toBeNull();
  });

  it('is asked to close, and killed when it does not', async () => {
    const { engine, processes, last, pass } = scene();
    engine.start();
    const closed = engine.close();
    expect(last().heard).toEqual([{ kind: 'close' }]);
    await pass(24_000);
    expect(last().wasKilled).toBe(false);
    await pass(2000);
    expect(last().wasKilled).toBe(true);
    last().ends(0);
    await pass(1);
    await closed;
    await pass(60_000);
    expect(processes).toHaveLength(1);
  });
});
