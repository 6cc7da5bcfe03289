import type { BatchItem, EvaluationPriority, Token } from 'node-llama-cpp';
import { expect, it } from 'vitest';
import { inOrderOfRows } from '../../../../electron/processes/supervisor/answer-rows.ts';

const item = (row: number, tokens = 1): BatchItem => ({
  tokens: new Array<Token>(tokens).fill(0 as Token),
  logits: [],
  evaluationPriority: row as EvaluationPriority,
});

it('a round is computed in the order of its rows, in whatever order they asked', () => {
  const asked = [3, 8, 1, 7, 2, 6, 4, 5].map((row) => item(row));
  const batch = inOrderOfRows({ items: asked, size: 512 });
  expect(batch.map(({ item: { evaluationPriority } }) => evaluationPriority)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8,
  ]);
  expect(new Set(batch.map((one) => one.item))).toEqual(new Set(asked));
  expect(batch.every(({ processAmount }) => processAmount === 1)).toBe(true);
});

it('a batch takes as many tokens as it has room for, and nothing of what has none', () => {
  const [first, second, third] = [item(1, 300), item(2, 300), item(3, 5)];
  expect(inOrderOfRows({ items: [third, second, first], size: 512 })).toEqual([
    { item: first, processAmount: 300 },
    { item: second, processAmount: 212 },
  ]);
});
