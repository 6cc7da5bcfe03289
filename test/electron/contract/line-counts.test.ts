import { describe, expect, it } from 'vitest';
import {
  isLineMetric,
  LINE_OUTCOMES,
  lineCounts,
  lineMetric,
  type REFUSALS,
  type WordingRecord,
} from '../../../electron/contract/index.ts';

type Worded = Pick<WordingRecord, 'status' | 'lines' | 'refused'>;

const line = (wording: 'model' | 'source'): WordingRecord['lines'][number] => ({
  id: '1',
  text: 'Show every step.',
  topic: 'solver: no_trace',
  sources: ['a'],
  wording,
});
const refusal = (reason: (typeof REFUSALS)[number]): WordingRecord['refused'][number] => ({
  text: 'x',
  sources: [],
  reason,
});

describe('lines that a model wrote', () => {
  it('are counted by what became of them, and answers that the rule replaced beside them', () => {
    const records: Worded[] = [
      { status: 'done', lines: [line('model'), line('source')], refused: [refusal('leak')] },
      { status: 'done', lines: [line('model')], refused: [refusal('unsupported'), refusal('leak')] },
      { status: 'fallback', lines: [line('source')], refused: [refusal('contradiction'), refusal('repeat')] },
    ];
    const counts = lineCounts(records);
    expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual({
      'wording/model': 2,
      'wording/leak': 2,
      'wording/unsupported': 1,
      'wording/contradiction': 1,
      'wording/repeat': 1,
      'wording/rule': 1,
    });
    expect(Object.keys(counts)).toEqual(LINE_OUTCOMES.map(lineMetric));
    expect(Object.keys(counts).every(isLineMetric)).toBe(true);
  });

  it('have no counts where nothing was worded, so that nothing is said of such a step', () => {
    expect(lineCounts([])).toEqual({});
    expect(isLineMetric('supervision/leaks')).toBe(false);
  });
});
