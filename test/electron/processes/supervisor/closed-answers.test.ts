import { describe, expect, it } from 'vitest';
import { enumerateAnswers } from '../../../../electron/processes/supervisor/answer-schema.ts';
import {
  answerFor,
  answerSchema,
  issuesOf,
  serializeAnswer,
} from '../../../../electron/supervision/index.ts';

const object = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
});

describe('The texts of a closed schema', () => {
  it('are what JSON.stringify writes of every value, in the order of the schema', () => {
    const schema = object({
      kind: { const: 'a"b' },
      list: { type: 'array', items: { enum: ['x', 1] }, maxItems: 2 },
      flag: { oneOf: [{ type: 'boolean' }, { type: 'null' }] },
    });
    const lists = [[], ['x'], [1], ['x', 'x'], ['x', 1], [1, 'x'], [1, 1]];
    expect(enumerateAnswers(schema)).toEqual(
      lists.flatMap((list) => [true, false, null].map((flag) => JSON.stringify({ kind: 'a"b', list, flag }))),
    );
    expect(
      enumerateAnswers({ type: 'array', items: { enum: ['x', 'y'] }, minItems: 2, maxItems: 2 }),
    ).toEqual(['["x","x"]', '["x","y"]', '["y","x"]', '["y","y"]']);
    expect(enumerateAnswers({ type: 'array', items: { type: 'null' }, maxItems: 0 })).toEqual(['[]']);
    expect(enumerateAnswers({ type: 'object' })).toEqual(['{}']);
  });

  it('are none where a text is free or there are too many', () => {
    expect(enumerateAnswers(object({ feedback: { type: 'string', maxLength: 3 } }))).toBeNull();
    expect(enumerateAnswers(object({ count: { type: 'integer' } }))).toBeNull();
    expect(enumerateAnswers({ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 13 })).toBeNull();
    expect(enumerateAnswers({ type: 'array', items: { type: 'null' }, maxItems: 1_000_000_000 })).toBeNull();
    expect(enumerateAnswers({ oneOf: [{ const: 1 }, { type: 'string' }] })).toBeNull();
  });

  it('hold every answer of the rubric to a phase, and few enough to search', () => {
    for (const phase of ['task', 'plan', 'thought', 'output', 'exec'] as const) {
      const answers = enumerateAnswers(answerSchema(phase) as Record<string, unknown>) ?? [];
      expect(answers.length).toBeLessThan(1000);
      expect(new Set(answers).size).toBe(answers.length);
      for (const found of [[], ...issuesOf(phase).map((issue) => [issue])])
        expect(answers).toContain(serializeAnswer(answerFor(found)));
      expect(
        enumerateAnswers({ type: 'object', properties: { feedback: { type: 'string', maxLength: 300 } } }),
      ).toBeNull();
    }
  });
});
