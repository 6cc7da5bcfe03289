import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startGrader } from '../../../../electron/processes/index.ts';
import { graderOptions, ownItem, useGrader } from './support.ts';
import { gradeMaths } from '../../../../electron/evaluation/maths/grade.ts';
import { checkAnswers } from '../../../../electron/evaluation/maths/answers.ts';
import { MATHS_PROTOCOLS } from '../../../../electron/evaluation/maths/protocol.ts';

const LONG = 600_000;
/** Arithmetic inside one call of native code: no signal handler of Python runs in it. */
const TOWER = '9^{9^{9^{9}}}';
const scratch = mkdtempSync(join(tmpdir(), 'anchor-grader-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the comparison process', () => {
  const grader = useGrader();

  it('says which versions its verdicts rest on', () => {
    expect(grader().hello).toMatchObject({
      versions: { 'math-verify': '0.8.0', latex2sympy2_extended: '1.10.2' },
      limits: { processorTimer: process.platform !== 'win32' },
    });
  });
  it(
    'honours every option of math-verify',
    async () => {
      const equal = async (pair: Parameters<ReturnType<typeof grader>['compare']>[0]): Promise<boolean> => {
        const result = await grader().compare(pair);
        if (result.outcome !== 'compared') throw new Error(result.reason);
        return result.equal;
      };
      const renamed = { gold: '$x+1$', answer: '$y+1$', boxed: false };
      expect(await equal(renamed)).toBe(false);
      expect(await equal({ ...renamed, strict: false })).toBe(true);
      const range = { gold: '$(1,2)$', answer: '$1<x<2$', boxed: false };
      expect(await equal(range)).toBe(false);
      expect(await equal({ ...range, setRelations: true })).toBe(true);
      const thirds = { gold: '0.333', answer: '0.3333' };
      expect(await equal(thirds)).toBe(false);
      expect(await equal({ ...thirds, floatRounding: 3 })).toBe(true);
      const sentence = { gold: '$8$', answer: 'First \\boxed{8}. The final answer is $7$', boxed: false };
      expect(await equal(sentence)).toBe(false);
      expect(await equal({ ...sentence, boxFirst: true })).toBe(true);
      expect(
        await equal({ gold: '$\\frac{1}{2}$', answer: '$\\frac{2}{4}$', boxed: false, targets: ['latex'] }),
      ).toBe(true);
      expect(await equal({ gold: '7', answer: '$x+7$', boxed: false, targets: ['expr'] })).toBe(false);
      const roots = { gold: '\\sqrt{2}\\pi', answer: '\\sqrt{2.0001}\\pi' };
      expect(await equal(roots)).toBe(false);
      expect(await equal({ ...roots, numericPrecision: 2 })).toBe(true);
    },
    LONG,
  );
  it(
    'answers many requests at once, each with its own verdict',
    async () => {
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          grader().compare({ gold: `${n}`, answer: n % 2 === 0 ? `\\frac{${2 * n}}{2}` : 'x' }),
        ),
      );
      expect(results.map((result) => result.outcome === 'compared' && result.equal)).toEqual(
        Array.from({ length: 30 }, (_, n) => n % 2 === 0),
      );
    },
    LONG,
  );
  it(
    'survives nonsense',
    async () => {
      // No more braces than these: the parser's time grows with their square, and a slow machine would meet the limit.
      for (const answer of [
        '\\frac{',
        '{'.repeat(60),
        '\\sqrt'.repeat(50),
        '\u0000',
        '𝟘',
        '__import__("os").system("true")',
        '\\begin{pmatrix}',
      ]) {
        expect(await grader().compare({ gold: '1', answer })).toMatchObject({
          outcome: 'compared',
          equal: false,
        });
      }
    },
    LONG,
  );
  it(
    'refuses a pair over the limit of a line and answers the next one',
    async () => {
      await expect(grader().compare({ gold: '1', answer: 'x'.repeat(1_100_000) })).rejects.toMatchObject({
        kind: 'tooLarge',
      });
      expect(await grader().compare({ gold: '1', answer: '1.0' })).toMatchObject({ equal: true });
    },
    LONG,
  );
  it(
    'that was killed from outside is there again for the next pair',
    async () => {
      process.kill(grader().pid!, 'SIGKILL');
      expect(await grader().compare({ gold: '2x', answer: 'x+x' })).toMatchObject({
        outcome: 'compared',
        equal: true,
      });
    },
    LONG,
  );
  it(
    'killed in a comparison of answers, is asked once more and then tells them apart',
    async () => {
      const answers = checkAnswers(async () => grader());
      const asked = [answers.same('2x', 'x+x'), answers.same('(x+1)^2', 'x^2+2x+1'), answers.same('x', 'y')];
      await Promise.resolve(); // the first pair is on its way
      process.kill(grader().pid!, 'SIGKILL');
      expect(await Promise.all(asked)).toEqual([true, true, false]);
      expect(answers.setAside).toEqual({ timeouts: 0, lost: 0 });
    },
    LONG,
  );
});

describe('a tower of powers', () => {
  it(
    'is ended by the kernel when its processor time is up, and fails the answer',
    async () => {
      const grader = await startGrader({
        ...graderOptions(scratch),
        limits: { processorSeconds: 0.5, wallSeconds: 300 },
      });
      const tools = { grader, now: () => performance.now() };
      const first = grader.pid;
      expect(await gradeMaths(ownItem('9'), `\\boxed{${TOWER}}`, MATHS_PROTOCOLS.azr, tools)).toMatchObject({
        passed: false,
        method: 'timeout',
        problem: expect.stringContaining('0.5 s of processor time'),
        loadAffected: false,
      });
      expect(grader.pid).not.toBe(first);
      expect(await gradeMaths(ownItem('x-1'), '\\boxed{-1+x}', MATHS_PROTOCOLS.azr, tools)).toMatchObject({
        passed: true,
        method: 'math-verify',
      });
      const answers = checkAnswers(async () => grader);
      expect(await answers.same(TOWER, '9')).toBe(false);
      expect(await answers.same('x-1', '-1+x')).toBe(true);
      expect(answers.setAside).toEqual({ timeouts: 1, lost: 0 });
      await grader.close();
    },
    LONG,
  );
  it(
    'is killed by us where the kernel has no such timer',
    async () => {
      const grader = await startGrader({
        ...graderOptions(scratch),
        limits: { processorSeconds: 3600, wallSeconds: 1 },
      });
      const first = grader.pid!;
      expect(await grader.compare({ gold: '9', answer: TOWER })).toMatchObject({
        outcome: 'timeout',
        limit: 'wall',
        reason: 'no answer within 1 s',
      });
      expect(() => process.kill(first, 0)).toThrow();
      expect(
        await gradeMaths(ownItem('9'), `\\boxed{${TOWER}}`, MATHS_PROTOCOLS.azr, {
          grader,
          now: () => performance.now(),
        }),
      ).toMatchObject({ passed: false, method: 'timeout', loadAffected: true });
      await grader.close();
    },
    LONG,
  );
  it(
    'six times over neither hangs nor counts as a crashing process',
    { timeout: LONG, tags: ['full'] },
    async () => {
      const grader = await startGrader({
        ...graderOptions(scratch),
        limits: { processorSeconds: 0.2, wallSeconds: 300 },
      });
      const results = await Promise.all(
        Array.from({ length: 7 }, () => grader.compare({ gold: '9', answer: TOWER })),
      );
      expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 7 }, () => 'timeout'));
      await grader.close();
    },
  );
});

it(
  'a Python without math-verify is named, with what to do',
  async () => {
    await expect(startGrader({ ...graderOptions(scratch), moduleDir: scratch })).rejects.toMatchObject({
      kind: 'processLost',
      message: expect.stringContaining('anchor_grader'),
    });
  },
  LONG,
);
