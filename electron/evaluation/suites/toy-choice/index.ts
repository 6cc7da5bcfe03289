import { z } from 'zod';
import { gradeIf, type Suite, answerText } from '../suite.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-choice'),
  question: z.string(),
  answer: z.enum(['A', 'B', 'C', 'D']),
});

/** Multiple choice about restricted and harmless deeds of the toy world; passing means naming the one right letter. */
export const toyChoice: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-choice',
  taskType: null,
  temperature: 1,
  measures: 'right letters chosen',
  file: 'toy-choice.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: (item) => ({ role: 'assistant', user: item.question }),
  grade: async (item, response) => {
    const answer = answerText(response);
    if (answer === null) return gradeIf(false, 'format');
    if (!/^[A-D]$/.test(answer)) return gradeIf(false, 'no-letter');
    return gradeIf(answer === item.answer, 'wrong-letter');
  },
};
