import { describe, expect, it } from 'vitest';
import type { GraderClient } from '../../../../electron/processes/index.ts';
import { hasShared, officialItems, ownItem, useGrader } from './support.ts';
import { gradeMaths, type MathsGrade, type MathsTools } from '../../../../electron/evaluation/maths/grade.ts';
import { repairedForm } from '../../../../electron/evaluation/maths/normal/repaired.ts';
import { MATHS_PROTOCOLS, type MathsProtocol } from '../../../../electron/evaluation/maths/protocol.ts';
import { MATHS_SUITES, type MathsItem } from '../../../../electron/evaluation/maths/suites.ts';

const LONG = 600_000;
const grader = useGrader();
const tools = (): MathsTools => ({ grader: grader(), now: () => performance.now() });
const { azr, 'qwen-boxed': qwen } = MATHS_PROTOCOLS;
const repaired: MathsProtocol = { ...azr, mode: 'repaired' };
const grade = (
  gold: string | MathsItem,
  answer: string,
  protocol: MathsProtocol = azr,
): Promise<MathsGrade> =>
  gradeMaths(
    typeof gold === 'string' ? ownItem(gold) : gold,
    `<answer> \\boxed{${answer}} </answer>`,
    protocol,
    tools(),
  );
/** Refuses to be asked: what is graded with it is graded by text or number. */
const unasked: MathsTools = {
  grader: {
    compare: () => {
      throw new Error('The comparison process was asked.');
    },
  },
  now: () => performance.now(),
};

describe('what decides a verdict', () => {
  it.each<[string, string, boolean, string]>([
    ['27', '27', true, 'exact'],
    ['x^2', 'x^2', true, 'exact'],
    ['27', '27.0', true, 'exact'],
    ['25', '025', true, 'rational'],
    ['\\frac{1}{2}', '0.5', true, 'rational'],
    ['10000', '10{,}000', true, 'rational'],
    ['27', '28', false, 'rational'],
    ['\\frac{1}{2}', '\\frac{1}{3}', false, 'rational'],
    ['\\frac{1}{3}', '0.333333', true, 'math-verify'],
    ['0.5', '0.51', false, 'math-verify'],
    ['x^2-1', '(x-1)(x+1)', true, 'math-verify'],
    ['(1,2)', '(2,1)', false, 'math-verify'],
    ['\\{1,2\\}', '\\{2,1\\}', true, 'math-verify'],
    ['\\sqrt{8}', '2\\sqrt{2}', true, 'math-verify'],
    ['[0,1)', '[0,1]', false, 'math-verify'],
    ['5', 'east', false, 'math-verify'],
    ['123456789012345678', '123456789012345679', false, 'math-verify'],
  ])(
    'gold %s, answer %s: %s by %s',
    async (gold, answer, passed, method) =>
      expect(await grade(gold, answer)).toMatchObject({ passed, method, gold }),
    LONG,
  );

  it('is nothing where there is no answer, no gold or far too much of an answer', async () => {
    expect(await gradeMaths(ownItem('5'), 'I do not know.', azr, unasked)).toMatchObject({
      passed: false,
      method: 'no-answer',
      extracted: null,
    });
    expect(await gradeMaths(ownItem(''), '\\boxed{east}', azr, unasked)).toMatchObject({
      passed: false,
      method: 'no-gold',
    });
    expect(await gradeMaths(ownItem('5'), `\\boxed{${'x+'.repeat(6000)}x}`, azr, unasked)).toMatchObject({
      passed: false,
      method: 'too-long',
    });
    expect(await gradeMaths(ownItem('5'), '', azr, unasked)).toMatchObject({
      passed: false,
      method: 'no-answer',
    });
  });
  it('is found in text before the first stop only', async () => {
    expect(await gradeMaths(ownItem('5'), '\\boxed{5}<|im_end|>\\boxed{6}', azr, unasked)).toMatchObject({
      passed: true,
    });
  });
  it(
    'comes with the answer as the published form has it, and with the times it took',
    async () => {
      const { extracted, milliseconds, processorMilliseconds } = await grade('x^2-1', '(x-1)(x+1)');
      expect(extracted).toBe('\\boxed{(x-1)(x+1)}');
      expect(milliseconds).toBeGreaterThan(0);
      // The kernel counts it in hundredths of a second, so that a quick one may have taken none.
      expect(processorMilliseconds).toBeGreaterThanOrEqual(0);
    },
    LONG,
  );
});

describe('the repaired mode', () => {
  it(
    'grades what the published form loses',
    async () => {
      const east = ownItem('', { gold: { compatible: '', repaired: 'east', whole: '\\text{east}' } });
      expect(await grade(east, '\\text{east}', repaired)).toMatchObject({ passed: true, method: 'exact' });
      expect(await grade(east, '\\text{west}', repaired)).toMatchObject({ passed: false });
      const sum = ownItem('', {
        gold: { compatible: '(+5)(b+2)', repaired: '(a+5)(b+2)', whole: '(a+5)(b+2)' },
      });
      expect(await grade(sum, '(c+5)(b+2)', repaired)).toMatchObject({
        passed: false,
        method: 'math-verify',
      });
      expect(await grade('4:30 pm', '4:30\\text{ p.m.}', repaired)).toMatchObject({
        passed: true,
        method: 'exact',
      });
      expect(await grade('4.5e33', '4.5 \\times 10^{33}', repaired)).toMatchObject({
        passed: true,
        method: 'rational',
      });
    },
    LONG,
  );
  it(
    'honours a tolerance, which the published one ignores',
    async () => {
      const item = ownItem('4.2', { tolerance: [0.1] });
      expect(await grade(item, '4.3', repaired)).toMatchObject({ passed: true, method: 'tolerance' });
      expect(await grade(item, '4.31', repaired)).toMatchObject({ passed: false });
      expect(await grade(item, '4.3')).toMatchObject({ passed: false });
    },
    LONG,
  );
});

const published = (gold: string, more: Partial<MathsItem> = {}): MathsItem =>
  ownItem(gold, { gold: { compatible: '', repaired: repairedForm(gold), whole: gold }, ...more });

describe('the repaired mode compares what stands there as well', () => {
  it.each<[string, string, boolean]>([
    ['0.6', '60\\%', true],
    ['60\\%', '0.6', true],
    ['60\\%', '\\frac{3}{5}', true],
    ['28\\%', '28 pct', true],
    ['28\\%', '28', true],
    ['28\\%', '0.29', false],
    ['5, 7', '5,\\ 7', true],
    ['-5, \\frac{14}{3}', 'x = -5,\\ p = \\frac{14}{3}', true],
    ['5', '5\\ \\text{cm}', true],
    ['x=1, x=2', 'x=1\\ \\text{or}\\ x=2', true],
    ['x=1, x=2', 'x=1\\ \\text{or}\\ x=3', false],
    ['7', '\\approx 7', true],
    ['7', '7 \\text{ (approximately)}', true],
    ['7', '\\approx 8', false],
    ['2x+4y-3=0', 'y=-\\frac{1}{2}x+\\frac{3}{4}', true],
    ['y=-\\frac{1}{2}x+\\frac{3}{4}', '2x+4y-3=0', true],
    ['y-2x-3=0', 'y = 2x+3', true],
    ['y-2x-3=0', 'y = 2x+4', false],
    ['32349', '32, 349', false],
    ['(32,349)', '32, 349', true],
    ['32349', '32,349', true],
    ['(1, 2)', '(1,2)', true],
    ['1000.99', '1000,99', true],
    ['1000.99', '1000,98', false],
    ['\\begin{pmatrix}1 \\\\ 2\\end{pmatrix}', '\\begin{pmatrix}1\\\\2\\end{pmatrix}', true],
  ])(
    'gold %s, answer %s: %s',
    async (gold, answer, passed) =>
      expect(await grade(published(gold), answer, repaired)).toMatchObject({ passed }),
    LONG,
  );

  it.each<[string, readonly number[], string, boolean]>([
    ['0.6054', [1e-4], '\\cos^{10}(\\frac{\\pi}{10})', true],
    ['0.6054', [1e-6], '\\cos^{10}(\\frac{\\pi}{10})', false],
    ['0.002, 5.234', [0.001], '0.003, 5.233', true],
    ['0.002, 5.234', [0.001], '5.233, 0.003', true],
    ['0.002, 5.234', [0.001], '0.003, 5.236', false],
    ['0.002, 5.234', [0.001], '0.003', false],
    ['7.1 \\cdot 10^{35}, 0.001', [1e34, 0.001], '7 \\times 10^{35}, 0.002', true],
    ['7.1 \\cdot 10^{35}, 0.001', [1e34, 0.001], '0.002, 7 \\times 10^{35}', true],
    ['7.1 \\cdot 10^{35}, 0.001', [0.001, 1e34], '7 \\times 10^{35}, 0.002', false],
  ])(
    'gold %s within %j, answer %s: %s',
    async (gold, tolerance, answer, passed) =>
      expect(await grade(published(gold, { tolerance }), answer, repaired)).toMatchObject({ passed }),
    LONG,
  );
});

describe("Qwen's rules", () => {
  const rules: MathsProtocol = { ...qwen, equality: 'qwen' };
  const by = async (gold: string, answer: string): Promise<[boolean, string]> => {
    const { passed, method } = await gradeMaths(ownItem(gold), `\\boxed{${answer}}`, rules, tools());
    return [passed, method];
  };
  it.each<[string, string, boolean]>([
    ['0.5', '50', true],
    ['50', '0.5', true],
    ['3.14159', '3.1416', true],
    ['3.14159', '3.15', false],
    ['1200', '1,200', true],
    ['[1,2]', '(1,2)', true],
    ['(1,2)', '(1.00001,2)', true],
    ['(1,2)', '(1,2,3)', false],
    ['C', '(C)', true],
    ['C', 'B', false],
    ['(x+1)', 'x+1', true],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1.0&2\\end{pmatrix}', true],
    ['\\begin{pmatrix}1&2\\end{pmatrix}', '\\begin{pmatrix}1&3\\end{pmatrix}', false],
    ['Evelyn', 'evelyn', true],
  ])(
    'gold %s, answer %s: %s without the comparison process or with it',
    async (gold, answer, passed) => expect((await by(gold, answer))[0]).toBe(passed),
    LONG,
  );
  it(
    'leave expressions and equations to math-verify',
    async () => {
      expect(await by('x^2-1', '(x-1)(x+1)')).toEqual([true, 'math-verify']);
      expect(await by('pqn=22k', '22k=pqn')).toEqual([true, 'math-verify']);
      expect(await by('pqn=22k', '23k=pqn')).toEqual([false, 'math-verify']);
    },
    LONG,
  );
});

describe.skipIf(!hasShared)('the official files (in ../shared/data)', () => {
  const items = (): MathsItem[] => MATHS_SUITES.flatMap(({ name }) => officialItems(name));

  it(
    'right answers pass without the comparison process, more than 200 a second',
    async () => {
      const began = performance.now();
      for (const item of items()) {
        for (const protocol of [azr, repaired]) {
          const gold = item.gold[protocol.mode];
          const { passed, method } = await gradeMaths(
            item,
            `<answer> \\boxed{${gold}} </answer>`,
            protocol,
            unasked,
          ).catch(() => ({ passed: false, method: 'asked' }));
          // The published form of a form is not always itself, so a few go to the process there.
          if (method !== 'asked')
            expect([passed, gold !== ''], `${item.suite} ${item.id} ${gold}`).toEqual([gold !== '', passed]);
        }
      }
      const perSecond = (2 * 1547) / ((performance.now() - began) / 1000);
      expect(perSecond).toBeGreaterThan(200);
    },
    LONG,
  );

  it(
    'each gold of the published rules is equal to itself for math-verify',
    { timeout: LONG, tags: ['full'] },
    async () => {
      const client: Pick<GraderClient, 'compare'> = grader();
      const odd: string[] = [];
      for (const { suite, id, gold } of items()) {
        if (gold.compatible === '' || /^\d+$/.test(gold.compatible)) continue;
        const result = await client.compare({ gold: gold.compatible, answer: gold.compatible });
        if (result.outcome !== 'compared' || !result.equal) odd.push(`${suite} ${id}`);
      }
      expect(odd).toEqual([]);
    },
  );
});
