import { z } from 'zod';
import { sameValue } from '../../../core/index.ts';
import { type Suite, answeredFrame, failed, goldValue, isGrade, PASSED } from '../suite.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  suite: z.literal('toy-abduction'),
  program: z.string(),
  output: z.string(),
});

/** Find an input that gives the output. Any input that does counts, so the program is run on it. */
export const toyAbduction: Suite<z.infer<typeof itemSchema>> = {
  name: 'toy-abduction',
  taskType: 'abduction',
  mini: false,
  temperature: 1,
  measures: 'inputs found',
  file: 'toy-abduction.jsonl',
  parse: (line) => itemSchema.parse(line),
  ask: (item, pack) => ({
    role: 'solver',
    user: pack.render('solve-abduction', { program: item.program, output: item.output }),
  }),
  grade: async (item, response, execute) => {
    const answer = answeredFrame(response, 'input');
    if (isGrade(answer)) return answer;
    const [result] = await execute(item.program, [[answer]]);
    if (result === undefined || 'error' in result) return failed(result?.error ?? 'died');
    return sameValue(result.value, goldValue(item.output), 'strict') ? PASSED : failed('wrong-value');
  },
};
