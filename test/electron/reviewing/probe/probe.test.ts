import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JudgeProbe, JudgeProbeAnswer } from '../../../../electron/contract/index.ts';
import { lastJudgeProbe } from '../../../../electron/reviewing/index.ts';
import { judgeVerdict } from '../../../../electron/supervision/index.ts';
import { DATABASE_FILE } from '../../../../electron/store/index.ts';
import { openEngine } from '../../../support/engine.ts';
import { callAnchor } from '../../cli/call-anchor.ts';
import { SMALL } from './small.ts';

const base = mkdtempSync(join(tmpdir(), 'anchor-judge-probe-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const LONG = { timeout: 900_000 };
/** Twelve items twice, and both sides of two pairs once more. */
const ANSWERS = 12 + 12 + 4;

/** Without what a clock says. */
const said = (answers: readonly JudgeProbeAnswer[]) =>
  answers.map(({ at: _, milliseconds: __, ...answer }) => answer);

const command = (lab: string, ...rest: string[]) =>
  callAnchor('--lab', join(base, lab), 'judge', 'probe', ...rest);

const small = ['embedded', '--items', '12', '--phases', 'plan,thought', '--seed', '3'];

describe('anchor judge probe', () => {
  let whole: { probe: JudgeProbe; answers: JudgeProbeAnswer[] };

  beforeAll(async () => {
    const file = join(base, 'whole.json');
    const { code, stdout, stderr } = await command('whole', ...small, '--out', file);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('embedded-supervisor as a judge: 12 items, seed 3, 28 answers.');
    expect(stdout).toMatch(/^ {2}plan_mismatch +4 /m);
    expect(stdout).toContain('Verdict: by itself it is ');
    const engine = await openEngine(join(base, 'whole'));
    const [probe] = engine.store.listJudgeProbes();
    whole = { probe: probe as JudgeProbe, answers: engine.store.listJudgeProbeAnswers(probe?.id ?? '') };
    const verdict = judgeVerdict(whole.probe.results!);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...whole.probe, verdict });
    expect(engine.store.checkIntegrity()).toEqual([]);
    expect(lastJudgeProbe(engine, 'embedded-supervisor')).toEqual({ ...whole.probe, verdict });
    expect(lastJudgeProbe(engine, 'nobody')).toBeNull();
    await engine.close();
  }, 900_000);

  it('asks the embedded supervisor everything, and finds that it reads what was computed', () => {
    expect(whole.answers).toHaveLength(ANSWERS);
    const { results, plan } = whole.probe;
    expect(plan).toMatchObject({ mode: 'closed', items: 12, phases: ['plan', 'thought'], seed: 3 });
    expect(results).toMatchObject({ answered: ANSWERS, failed: 0, position: null });
    expect(results?.run.issues.map(({ name }) => name)).toEqual(['plan_mismatch', 'no_trace', 'trace_error']);
    // It was trained to say what these facts say.
    const right = results?.run.phases.map(({ balanced }) => balanced?.accuracy ?? 0) ?? [];
    expect(Math.min(...right)).toBeGreaterThan(0.7);
    const adds = results?.computedAdds.find(({ phase }) => phase === null);
    expect(adds).toMatchObject({ n: 12 });
    expect(adds?.difference).toBeGreaterThan(0);
    expect(results?.again.agreement).toMatchObject({ n: 4, hits: 4 });
    expect(results?.seconds?.mean).toBeGreaterThan(0);
  });

  it('asks nothing again when the same probe is asked for', LONG, async () => {
    const { code, stdout } = await command('whole', ...small);
    expect(code).toBe(0);
    expect(stdout).toContain('28 answers');
    const engine = await openEngine(join(base, 'whole'));
    expect(engine.store.listJudgeProbes()).toEqual([whole.probe]);
    await engine.close();
  });

  it(
    'goes on after kill -9 with what is missing and comes to the same answers',
    { ...LONG, tags: ['full'] },
    async () => {
      const lab = join(base, 'killed');
      const child = spawn(process.execPath, [join(import.meta.dirname, 'probe-and-say.ts'), lab], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        if (lines.filter((each) => each.startsWith('stored')).length === 14) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      expect(lines).not.toContain('done');
      const engine = await openEngine(lab);
      const [begun] = engine.store.listJudgeProbes();
      const kept = engine.store.listJudgeProbeAnswers(begun?.id ?? '');
      // The one that was being written when it was killed is all that may be lost.
      expect(kept.length).toBeGreaterThanOrEqual(lines.length);
      expect(begun?.results).toBeNull();
      const job = await engine.probeJudge(SMALL);
      expect((await engine.jobs.ended(job.id)).problem).toBeNull();
      const answers = engine.store.listJudgeProbeAnswers(begun?.id ?? '');
      expect(said(answers)).toEqual(said(whole.answers));
      expect(answers).toEqual(expect.arrayContaining(kept));
      const [finished] = engine.store.listJudgeProbes();
      expect(finished?.results?.run).toEqual(whole.probe.results?.run);
      await engine.close();
    },
  );

  it(
    'keeps its answers when it is cancelled, says so, and refuses a second one beside it',
    LONG,
    async () => {
      const engine = await openEngine(join(base, 'cancelled'));
      const put = engine.store.putJudgeProbeAnswer;
      const job = await engine.probeJudge(SMALL);
      engine.store.putJudgeProbeAnswer = (id, answer) => {
        put(id, answer);
        engine.jobs.cancel(job.id);
      };
      await expect(engine.probeJudge(SMALL)).rejects.toMatchObject({ kind: 'probeUnderWay', exitCode: 2 });
      const ended = await engine.jobs.ended(job.id);
      expect(ended).toMatchObject({
        state: 'cancelled',
        problem: expect.stringContaining('goes on from there') as string,
      });
      const [begun] = engine.store.listJudgeProbes();
      expect(engine.store.listJudgeProbeAnswers(begun?.id ?? '').length).toBeGreaterThan(0);
      await engine.close();
    },
  );

  it('attests its figures and answers, so that a changed one is seen', LONG, async () => {
    const file = join(base, 'whole', DATABASE_FILE);
    const change = (sql: string): void => {
      const db = new SqliteDatabase(file);
      db.exec(sql);
      db.close();
    };
    expect(() => change(`UPDATE judge_probe_answers SET answer = '{}'`)).toThrow('never changed');
    change(`DELETE FROM judge_probe_answers WHERE pass = 'again'`);
    const gone = whole.answers.filter(({ pass }) => pass === 'again').map(({ ordinal }) => ordinal);
    expect(gone.length).toBeGreaterThan(0);
    const engine = await openEngine(join(base, 'whole'));
    const findings = engine.store.checkIntegrity().map(({ finding }) => finding);
    expect(findings.toSorted()).toEqual([
      ...gone
        .map(
          (ordinal) =>
            `What was stored of answer ${ordinal} (again) of judge probe "${whole.probe.id}" is missing.`,
        )
        .toSorted(),
      `What was stored of results of judge probe "${whole.probe.id}" was changed afterwards.`,
    ]);
    expect(() =>
      engine.store.putJudgeProbeAnswer(whole.probe.id, whole.answers[0] as JudgeProbeAnswer),
    ).toThrow('is finished and takes no more answers');
    await engine.close();
  });

  it.each([
    [['nobody.gguf'], 'There is no model "nobody.gguf"'],
    [['embedded', '--items', '30'], 'A probe of these phases takes an even number of at least 32 items'],
    [['embedded', '--items', '3', '--phases', 'plan'], 'an even number of at least 2 items'],
    [['embedded', '--items', 'many'], 'It must be a whole number.'],
    [['embedded', '--phases', 'plan,dream'], 'There is no phase "dream"; there are task, plan'],
    [['embedded', '--threads', '0'], 'at least 1'],
    [['embedded-policy'], 'cannot be used as supervisor: a .gguf file is needed'],
  ])('refuses %j in one sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await command('refused', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line !== '' && !line.includes('--help')).length,
    ).toBe(1);
  });
});
