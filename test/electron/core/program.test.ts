import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { APP_VERSION } from '../../../electron/contract/index.ts';
import { filesOfRules, rulesOf, thisProgram } from '../../../electron/core/index.ts';
import { whatIsRedone } from '../../../electron/engine/runs/run-queue.ts';
import { openLab } from '../../../electron/store/index.ts';
import { APPLICATION } from '../../support/engine.ts';
import { makeCommit, steadyClock } from '../store/support/make-records.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-program-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(scratch, 'copy-'));
  for (const file of filesOfRules(APPLICATION)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(APPLICATION, file), join(copy, file));
  }
});

describe('the rules that a step is taken by', () => {
  it('are those of the files, wherever they lie and however their lines end, without what Python keeps beside them', () => {
    expect(thisProgram()).toBe(`${APP_VERSION}+${rulesOf(APPLICATION)}`);
    const prompt = filesOfRules(copy).find((file) => file.startsWith('resources/prompts/full/'))!;
    const text = readFileSync(join(copy, prompt), 'utf8');
    expect(text).toContain('\n');
    writeFileSync(join(copy, prompt), text.replaceAll('\n', '\r\n'));
    mkdirSync(join(copy, 'native/trainer/anchor_trainer/__pycache__'));
    writeFileSync(join(copy, 'native/trainer/anchor_trainer/__pycache__/x.pyc'), 'compiled');
    expect(rulesOf(copy)).toBe(rulesOf(APPLICATION));
  });

  it.each([
    ['the program', 'electron/evolution/index.ts'],
    ['the supervision', 'electron/supervision/index.ts'],
    ['the trainer', 'native/trainer/anchor_trainer/__main__.py'],
    ['the pins of the trainer', 'native/requirements.txt'],
    ['the versions of other programs', 'package.json'],
  ])('are others with a line more in %s', (_, file) => {
    appendFileSync(join(copy, file), '\n');
    expect(rulesOf(copy)).not.toBe(rulesOf(APPLICATION));
  });

  it('are told of each step, and said on resume where another checkout of the same version took some', async () => {
    cpSync(join(APPLICATION, 'electron'), join(copy, 'electron'), { recursive: true });
    cpSync(join(APPLICATION, 'test/electron/store/support'), join(copy, 'test/electron/store/support'), {
      recursive: true,
    });
    symlinkSync(join(APPLICATION, 'node_modules'), join(copy, 'node_modules'));
    appendFileSync(join(copy, 'electron/evolution/index.ts'), '// another rule\n');
    const folder = join(copy, 'lab');
    const take = `
      const { openLab } = await import(${JSON.stringify(join(copy, 'electron/store/index.ts'))});
      const { fillRun } = await import(${JSON.stringify(join(copy, 'test/electron/store/support/in-lab.ts'))});
      const lab = await openLab(${JSON.stringify(folder)}, { now: () => new Date() });
      fillRun(lab, 'a', 2);
      lab.close();`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', take], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const lab = await openLab(folder, { now: steadyClock() });
    const other = `${APP_VERSION}+${rulesOf(copy)}`;
    expect(lab.programsOf('a')).toEqual([other]);
    expect(whatIsRedone(lab.requireRun('a'), lab)).toMatch(
      new RegExp(
        `step 3 is taken again from its start\\. Steps of it were taken by another Anchor Lab \\(${other.replaceAll(/[.+]/g, String.raw`\$&`)}; this is `,
      ),
    );
    lab.commitStep('a', makeCommit(3));
    expect(lab.programsOf('a').toSorted()).toEqual([other, thisProgram()].toSorted());
    lab.close();
  });
});
