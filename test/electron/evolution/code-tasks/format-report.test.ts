import { describe, expect, it } from 'vitest';
import {
  runConfigSchema,
  type RolloutRecord,
  type RunConfigInput,
} from '../../../../electron/contract/index.ts';
import { formatMetrics, uselessBatch } from '../../../../electron/evolution/code-tasks/format-report.ts';

type Answer = Pick<RolloutRecord, 'text' | 'formatOk' | 'verdict'> & Partial<RolloutRecord>;
const record = (answer: Partial<Answer>): RolloutRecord =>
  ({
    taskType: 'deduction',
    reward: -1,
    finish: 'stop',
    text: 'It is 5.',
    formatOk: false,
    verdict: { outcome: 'invalid', reason: 'no-block', accuracy: 0, sandboxLevel: null },
    ...answer,
  }) as RolloutRecord;
const unusable = (reason: string, more: Partial<Answer> = {}): RolloutRecord =>
  record({ verdict: { outcome: 'invalid', reason, accuracy: 0, sandboxLevel: null }, ...more });
const right = record({
  formatOk: true,
  verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L3' },
});
const config = (input: RunConfigInput = {}) => runConfigSchema.parse(input);
const times = (count: number, one: RolloutRecord): RolloutRecord[] =>
  Array.from({ length: count }, () => one);

describe('the metrics of the format', () => {
  it('count what can be read, and what cannot by its cause', () => {
    const reading = { reader: 'lenient', validator: 'strict' } as const;
    expect(
      formatMetrics(reading, [right, right, unusable('no-block'), unusable('cut-off'), unusable('no-block')]),
    ).toEqual({ 'format/readable': 2, 'format/no-block': 2, 'format/cut-off': 1 });
  });

  it('find the cause where a verdict says only that the format is bad', () => {
    expect(formatMetrics({ validator: 'strict' }, [unusable('bad-format')])).toEqual({
      'format/readable': 0,
      'format/no-tag': 1,
    });
  });

  it('leave out estimates and rewarded prompts', () => {
    const others = [unusable('no-block', { reward: null }), unusable('no-block', { taskType: 'request' })];
    expect(formatMetrics({ validator: 'strict' }, others)).toEqual({});
  });
});

describe('a first batch', () => {
  it('is useless when fewer than 5 % of its answers are usable, and says why, with examples and what to change', () => {
    const said = uselessBatch(config({ policy: { promptPack: 'full' } }), [
      ...times(18, unusable('bad-format')),
      ...times(2, unusable('no-input', { formatOk: true, text: 'def f' })),
    ]);
    expect(said).toContain('Only 0 of 20 answers of step 1 were usable');
    expect(said).toContain('18 × The response has no answer tag.');
    expect(said).toContain('2 × The answer has no input block.');
    expect(said).toContain('(no-tag) “It is 5.”');
    for (const setting of ['temperature', 'topP', 'maxNewTokens', 'reader', 'promptPack', 'seeds'])
      expect(said).toContain(setting);
  });

  it('names the limit of new tokens first where most answers were cut off', () => {
    const said = uselessBatch(config(), times(10, unusable('cut-off', { finish: 'length' })));
    expect(said).toContain('What to change in a new run: generation.maxNewTokens, now 192 (10 answers were');
  });

  it('is not useless with one usable answer in twenty, wrong ones included, nor when it is too small to tell', () => {
    const wrong = record({
      formatOk: true,
      verdict: { outcome: 'failed', reason: 'wrong-value', accuracy: 0, sandboxLevel: null },
    });
    expect(uselessBatch(config(), [...times(19, unusable('no-block')), wrong])).toBeNull();
    expect(uselessBatch(config(), [...times(20, unusable('no-block')), wrong])).not.toBeNull();
    expect(uselessBatch(config(), times(9, unusable('no-block')))).toBeNull();
  });
});
