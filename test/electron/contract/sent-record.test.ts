import { describe, expect, it } from 'vitest';
import { receivedRollout, sentRollout, type RolloutRecord } from '../../../electron/contract/index.ts';
import { makeRollout } from '../store/support/make-records.ts';

const written = (
  parts: Partial<Pick<RolloutRecord, 'text' | 'plan' | 'thought' | 'answer'>>,
): RolloutRecord => ({
  ...makeRollout(1, 0),
  plan: null,
  thought: null,
  answer: null,
  ...parts,
});
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a rollout as it is sent', () => {
  it.each([
    [
      'parts that stand in the text',
      { text: '<plan>a</plan><thought>b</thought>cc', plan: 'a', thought: 'b', answer: 'cc' },
    ],
    ['a part that was changed as it was read', { text: '[ 1, 2 ]', answer: '[1, 2]' }],
    ['a part that stands there twice', { text: 'return x; return x', answer: 'return x' }],
    [
      'a part whose beginning stands there before it',
      { text: `${'a'.repeat(70)}b${'a'.repeat(70)}c`, answer: `${'a'.repeat(70)}c` },
    ],
    ['characters of two code units', { text: '🜁🜂<answer>🜃\ud83d</answer>', answer: '🜃\ud83d' }],
    ['an empty part and parts that are missing', { text: 'nothing', thought: '' }],
    ['an empty text', { text: '', answer: 'from elsewhere' }],
  ])('comes whole with %s', (_, parts) => {
    const rollout = written(parts);
    expect(receivedRollout(JSON.parse(JSON.stringify(sentRollout(rollout))))).toEqual(rollout);
  });

  it('takes the bytes of its text once, though the answer is most of it', () => {
    const line = '\u0001\u202e'.repeat(400_000); // six bytes of JSON for each control character
    const rollout = written({ text: `<answer>${line}</answer>`, answer: line });
    expect(bytes(rollout)).toBeGreaterThan(2 * bytes(line));
    expect(bytes(sentRollout(rollout))).toBeLessThan(bytes(line) + 2_000);
  });
});
