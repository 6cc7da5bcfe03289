/** The real built shell does a real step: engine and supervisor as utility processes, the window on the bridge. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AnchorBridge, ReviewRecord, RunRecord } from '../../../electron/contract/index.ts';
import { menuItem } from '../../double/native-ui.ts';
import { noChromium, Stage } from './labs.ts';
import { root, type OpenShell } from './open-shell.ts';
import { askVerb, until } from './page-verbs.ts';
import { shortRun } from './short-run.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

if (noChromium !== null) process.stderr.write(`skipped: the shell in a real Chromium: ${noChromium}\n`);

const STEP_MS = 240_000; // a step takes 5 s where the machine is free
const ended = ({ state }: RunRecord): boolean => ['done', 'failed', 'interrupted', 'paused'].includes(state);

describe.skipIf(noChromium !== null)('the shell', () => {
  const stage = new Stage();
  afterEach(() => stage.clear(), 60_000);
  const runOf = (shell: OpenShell, runId: string): Promise<RunRecord> =>
    askVerb(shell.page, 'query', 'runs.get', { runId });
  const begin = (shell: OpenShell, steps: number): Promise<RunRecord> =>
    askVerb(shell.page, 'mutation', 'runs.start', shortRun('Night run', steps));

  it(
    'takes a step whose reviews come from the supervisor in a process of its own, starts an engine that dies again, goes on with what is stored and tells when the run is done',
    async () => {
      const shell = await stage.open();
      const { id } = await begin(shell, 2);
      await until(
        () => runOf(shell, id),
        ({ committedSteps }) => committedSteps >= 1,
        STEP_MS,
      );
      const reviews = await askVerb<ReviewRecord[]>(shell.page, 'query', 'records.reviewsOfStep', {
        runId: id,
        step: 1,
      });
      expect(reviews.length).toBeGreaterThan(0);
      expect(new Set(reviews.map(({ reviewer, status }) => `${reviewer} ${status}`))).toEqual(
        new Set(['llama done']),
      );
      const { processes } = await shell.record();
      // The library's own test of its binary ran as well, since nobody here may fork.
      const STARTED = ['Anchor Lab engine', 'Anchor Lab supervisor', 'Anchor Lab binary test'];
      expect(processes.map(({ service }) => service)).toEqual(STARTED);

      process.kill(processes[0]?.pid as number, 'SIGKILL');
      await shell.page
        .getByText('The engine ended unexpectedly and was started again')
        .waitFor({ timeout: 60_000 });
      const run = await until(
        () => runOf(shell, id).catch(() => null),
        (found) => found?.state === 'interrupted',
        60_000,
      );
      expect(run?.committedSteps).toBeGreaterThanOrEqual(1);
      await askVerb(shell.page, 'mutation', 'runs.resume', { runId: id });
      expect(await until(() => runOf(shell, id), ended, STEP_MS)).toMatchObject({
        state: 'done',
        committedSteps: 2,
      });
      const { processes: all, notices } = await until(
        () => shell.record(),
        (record) => record.notices.length > 0,
        30_000,
      );
      expect(all.map(({ service }) => service)).toEqual([...STARTED, ...STARTED]);
      expect(notices).toEqual([{ title: 'Finished: Night run', body: 'All 2 steps are stored.' }]);
    },
    2 * STEP_MS,
  );

  it(
    'asks before quitting while a run works, finishes the step, stores it and quits',
    { tags: ['full'], timeout: 2 * STEP_MS },
    async () => {
      const lab = stage.folder();
      const shell = await stage.open({ lab });
      const { id } = await begin(shell, 50);
      await until(
        () => runOf(shell, id),
        ({ committedSteps }) => committedSteps >= 1,
        STEP_MS,
      );
      await shell.deed('answer', { response: 2 });
      await shell.deed('closeWindow');
      await until(
        () => shell.record(),
        ({ dialogs }) => dialogs.length === 1,
        30_000,
      );
      expect((await shell.windows())[0]?.visible).toBe(true);
      await shell.page.evaluate(() => (globalThis as unknown as { anchor: AnchorBridge }).anchor.openNotes());
      await until(
        () => shell.windows(),
        ({ length }) => length === 2,
        30_000,
      );
      await shell.deed('answer', { response: 1 });
      await shell.deed('choose', 'shell.quit');
      // The notes go with the window that is hidden while the step is finished.
      await until(
        () => shell.windows(),
        (open) => open.length === 1 && open[0]?.visible === false,
        30_000,
      );
      expect(await shell.ended).toBe(0);
      const again = await stage.open({ lab });
      const run = await runOf(again, id);
      expect([run.state, run.reason?.startsWith('Paused after step')]).toEqual(['paused', true]);
    },
  );

  it(
    'keeps its place, and comes back whole from a place that is no screen',
    { timeout: 180_000, tags: ['full'] },
    async () => {
      const home = stage.folder();
      const first = await stage.open({ home });
      await first.deed('moveWindow', { x: 60, y: 40, width: 1280, height: 800 });
      await first.deed('choose', 'shell.quit');
      expect(await first.ended).toBe(0);
      const file = join(home, 'userData/window.json');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        bounds: { x: 60, y: 40, width: 1280, height: 800 },
        maximized: false,
      });
      const second = await stage.open({ home });
      expect((await second.windows())[0]?.bounds).toEqual({ x: 60, y: 40, width: 1280, height: 800 });
      await second.deed('choose', 'shell.quit');
      await second.ended;
      writeFileSync(file, '{"bounds":{"x":9000,"y":-4000,"width":1300,"height":800},"maximized":false}');
      expect((await (await stage.open({ home })).windows())[0]?.bounds).toEqual({
        x: 300,
        y: 0,
        width: 1300,
        height: 800,
      });
    },
  );

  it(
    'says why when another program has the lab open, and tries again when asked',
    { timeout: 180_000, tags: ['full'] },
    async () => {
      const lab = stage.folder();
      const first = await stage.open({ lab });
      await askVerb(first.page, 'query', 'runs.list', {});
      const second = await stage.open({ lab });
      await second.page
        .getByText(/has the lab .* open/)
        .first()
        .waitFor({ timeout: 60_000 });
      await first.close();
      await second.page.getByRole('button', { name: 'Try again' }).first().click();
      expect(
        await until(
          () => askVerb<{ rows: unknown[] }>(second.page, 'query', 'runs.list', {}).catch(() => null),
          (answer) => answer !== null,
          60_000,
        ),
      ).toMatchObject({ rows: [] });
    },
  );
});

describe.skipIf(noChromium !== null)('one open shell', () => {
  const stage = new Stage();
  let shell: OpenShell;
  beforeAll(async () => {
    shell = await stage.open();
  }, 120_000);
  afterAll(() => stage.clear(), 60_000);

  it('comes to the front when it is started a second time', async () => {
    await until(
      () => shell.windows(),
      ([window]) => window?.visible === true,
      30_000,
    );
    expect((await shell.windows())[0]?.focused).toBe(false);
    await shell.deed('secondInstance');
    expect((await shell.windows())[0]).toMatchObject({ visible: true, focused: true });
    const second = spawnSync(
      process.execPath,
      ['--import', join(root, 'test/double/register.ts'), join(root, 'test/double/run.ts'), root],
      {
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, NODE_OPTIONS: '', ANCHOR_LAB: stage.folder(), DOUBLE_SECOND: '1' },
      },
    );
    expect([second.status, second.stderr]).toEqual([0, expect.stringContaining('running already')]);
  }, 120_000);

  it('has a menu of the commands of the window, and runs what is chosen there', async () => {
    const menu = await until(
      () => shell.menu(),
      (items) => menuItem('go.library', items) !== undefined,
      30_000,
    );
    expect(menuItem('frame.palette', menu)?.accelerator).toBe('CmdOrCtrl+K');
    await shell.deed('choose', 'go.library');
    await shell.page.waitForURL(/#\/library/, { timeout: 30_000 });
  }, 120_000);

  it('opens files only where the person says, and writes them whole', async () => {
    const folder = stage.folder();
    const bridge = <T>(name: string, what: unknown): Promise<T> =>
      shell.page.evaluate(
        ([key, given]) =>
          (globalThis as unknown as { anchor: Record<string, (words: unknown) => Promise<unknown>> }).anchor[
            key as string
          ]?.(given),
        [name, what] as const,
      ) as Promise<T>;
    await shell.deed('answer', { canceled: false, filePaths: ['/models/a.gguf'] });
    expect(
      await bridge('choosePaths', { kind: 'file', many: true, title: 'Models', extensions: ['gguf'] }),
    ).toEqual(['/models/a.gguf']);
    await shell.deed('answer', { canceled: true, filePaths: [] });
    expect(
      await bridge('choosePaths', { kind: 'folder', many: false, title: 'Models', extensions: [] }),
    ).toEqual([]);
    await shell.deed('answer', { canceled: false, filePath: join(folder, 'curve.csv') });
    expect(await bridge('saveText', { name: 'curve.csv', text: 'a,b\n' })).toBe(join(folder, 'curve.csv'));
    expect(readFileSync(join(folder, 'curve.csv'), 'utf8')).toBe('a,b\n');
    mkdirSync(join(folder, 'taken'));
    await shell.deed('answer', { canceled: false, filePath: join(folder, 'taken') });
    await shell.deed('answer', { response: 0 });
    expect(await bridge('saveText', { name: 'taken', text: 'x' })).toBeNull();
    expect(existsSync(join(folder, 'taken'))).toBe(true);
    const last = (await shell.record()).dialogs.at(-1)?.options as { message: string };
    expect(last.message).toContain('could not be written');
  }, 120_000);
});
