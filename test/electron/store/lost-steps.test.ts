import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab, type Lab } from '../../../electron/store/index.ts';
import { filesOfRun } from '../../../electron/library/index.ts';
import { writeStepFiles } from '../../../electron/supervision/index.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, makeCommit, makeConfig, makeInitial, steadyClock } from './support/make-records.ts';

const LOG = `${DATABASE_FILE}-wal`;
const open = (folder: string): Promise<Lab> => openLab(folder, { now: steadyClock() });

/** What a run leaves in its folder: a step is stored between its checkpoint and its files. */
function work(lab: Lab, steps: number): void {
  lab.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
  const { checkpoint, records } = filesOfRun(join(lab.folder, 'runs/a'));
  mkdirSync(checkpoint(0), { recursive: true });
  mkdirSync(records);
  lab.putInitial('a', makeInitial());
  lab.setRunState('a', 'setting-up', null);
  lab.setRunState('a', 'stepping', null);
  for (let step = 1; step <= steps; step += 1) {
    mkdirSync(checkpoint(step));
    lab.commitStep('a', makeCommit(step));
    writeStepFiles(records, lab, 'a', step);
  }
}

/** The folder of a lab as kill -9 left it after so many steps, opened once something happened to its files. */
const afterKill = (
  steps: number,
  happens: (folder: string) => void,
  then: (lab: Lab, folder: string) => unknown,
): Promise<void> =>
  inTempFolder(async (root) => {
    const folder = join(root, 'killed');
    const lab = await open(join(root, 'lab'));
    work(lab, steps);
    cpSync(join(root, 'lab'), folder, { recursive: true, filter: (path) => !path.endsWith('-shm') });
    lab.close();
    happens(folder);
    const again = await open(folder);
    try {
      await then(again, folder);
    } finally {
      again.close();
    }
  });

/** A bit of the last third of the log: SQLite takes over what comes before that page. */
function damageLog(folder: string): void {
  const log = readFileSync(join(folder, LOG));
  const at = Math.floor((log.length * 2) / 3);
  log[at] = (log[at] as number) ^ 1;
  writeFileSync(join(folder, LOG), log);
}

describe('steps that a run took and its database lost', () => {
  it('with the log are told at the opening, in the state of the run and to who would go on; nothing of them goes', () =>
    afterKill(
      5,
      (folder) => rmSync(join(folder, LOG)),
      async (lab, folder) => {
        const said =
          'The database has 0 steps of run "test run" (a), but its folder has files of step 5: what was stored after step 0 is lost, ' +
          'as when the database is copied without its log (lab.sqlite-wal). Nothing of that folder is deleted. ' +
          'Put both files back, or restore a backup; to go on without what was lost, start a new run.';
        expect(lab.opened.lostSteps).toEqual([{ runId: 'a', name: 'test run', stored: 0, found: 5 }]);
        expect(lab.notices()).toEqual([said]);
        expect(lab.getRun('a')).toMatchObject({ state: 'interrupted', reason: said });
        expect(await failureOf(() => lab.requireAllSteps('a'))).toMatchObject({
          kind: 'labReplaced',
          message: said,
        });
        expect(existsSync(filesOfRun(join(folder, 'runs/a')).checkpoint(5))).toBe(true);
      },
    ));

  it('behind a damaged page of the log are told, with the step that a new run can go on from', () =>
    afterKill(5, damageLog, (lab) => {
      const { committedSteps } = lab.requireRun('a');
      expect(committedSteps).toBeGreaterThan(0);
      expect(committedSteps).toBeLessThan(5);
      const [notice = ''] = lab.notices();
      expect(notice).toContain(
        `let a new run go on from step ${committedSteps}, in the window or with "anchor resume a --from ${committedSteps}".`,
      );
    }));

  it.each([
    ['nothing at all', (): void => {}],
    [
      'the checkpoint of the step under way',
      (folder: string): void => void mkdirSync(filesOfRun(join(folder, 'runs/a')).checkpoint(4)),
    ],
    [
      'a step without its files',
      (folder: string): void => {
        rmSync(join(folder, 'runs/a/anchor/step3_code.json'), { force: true });
        rmSync(join(folder, 'runs/a/anchor/context_4.md'));
      },
    ],
  ])('are none where a killed program left %s', (_what, happens) =>
    afterKill(3, happens, (lab) => {
      expect(lab.requireRun('a').committedSteps).toBe(3);
      expect(lab.notices()).toEqual([]);
      lab.requireAllSteps('a');
    }),
  );

  it('are told to a reader beside another program, and no more once the run is deleted', () =>
    afterKill(
      2,
      (folder) => rmSync(join(folder, LOG)),
      async (lab, folder) => {
        const reader = await openLab(folder, { now: steadyClock(), readonly: true });
        expect(reader.notices()).toEqual(lab.notices());
        reader.close();
        lab.deleteRun('a');
        expect(lab.notices()).toEqual([]);
      },
    ));

  it('are none of a recorded run, which is played beside its files', () =>
    inTempFolder(async (root) => {
      const folder = join(root, 'lab');
      const lab = await open(folder);
      work(lab, 1);
      lab.close();
      mkdirSync(filesOfRun(join(folder, 'runs/a')).checkpoint(6));
      const replayed = await openLab(folder, { now: steadyClock(), isReplay: true });
      expect(replayed.opened.lostSteps).toEqual([]);
      replayed.close();
      const plain = await open(folder);
      expect(plain.opened.lostSteps).toMatchObject([{ stored: 1, found: 6 }]);
      plain.close();
    }));
});
