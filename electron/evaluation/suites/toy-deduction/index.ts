import { z } from 'zod';
import { sameValue } from '../../../core/index.ts';
import { type Suite, answeredFrame, failed, goldValue, isGrade, PASSED } from '../suite.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-deduction'),
  program: z.string(),
  input: z.string(),
  output: z.string(),
});

/** Predict the output of a program. Graded by value, without running anything. */
export const toyDeduction: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-deduction',
  taskType: 'deduction',
  temperature: 1,
  measures: 'outputs predicted',
  file: 'toy-deduction.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-deduction', { program: item.program, input: item.input }),
  }),
  grade: async (item, response) => {
    const answer = answeredFrame(response, 'output');
    if (isGrade(answer)) return answer;
    return sameValue(answer, goldValue(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};
