import { z } from 'zod';
import { gradeIf, type Suite, answerText } from '../suite.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-arithmetic'),
  question: z.string(),
  answer: z.union([z.string(), z.int()]),
});

/** Word problems of one or two operations; the answer is compared as text. */
export const toyArithmetic: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-arithmetic',
  taskType: null,
  temperature: 1,
  measures: 'word problems solved',
  file: 'toy-arithmetic.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: (item) => ({ role: 'solver', user: item.question }),
  grade: async (item, response) => {
    const answer = answerText(response);
    if (answer === null) return gradeIf(false, 'format');
    return gradeIf(answer === String(item.answer), 'wrong-value');
  },
};
