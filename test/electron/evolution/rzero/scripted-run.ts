import { runConfigSchema, type RunConfigInput } from '../../../../electron/contract/index.ts';
import { uniformIndex } from '../../../../electron/core/index.ts';
import { packOf, takeSteps as takeScripted, type Setting, type Taken } from '../scripted-steps.ts';

export type { Taken } from '../scripted-steps.ts';

/** What a scripted model is asked: the question it is to answer, or null where it is to ask one itself. */
export type Asked = { role: string; question: string | null; system: string; seed: number; index: number };
export type Script = (asked: Asked) => string;

/** A sum that differs with the seed, in the form that was asked for. */
export const asksSums: Script = ({ question, seed, index }) => {
  const draw = (most: number, of: string): number => uniformIndex(most, seed, of, index);
  if (question === null) {
    const [a, b] = [draw(40, 'a'), draw(40, 'b')];
    return `Sums are dull.\n<question>What is ${a} + ${b}, plus ${draw(9, 'c')}?</question>\n\\boxed{${a + b}}`;
  }
  const sum = [...question.matchAll(/\d+/g)].reduce((total, [number]) => total + Number(number), 0);
  const slip = draw(2, 'slip');
  return `I add the numbers one by one. Then I look again.\nsum = ${sum + slip}\nSo it is \\boxed{${sum + slip}}.`;
};

/** Sizes at which every stage has something to do. */
export const SMALL: RunConfigInput = {
  policy: { promptPack: 'instruct' },
  framework: {
    name: 'rzero',
    challenge: { steps: 2, prompts: 2, samples: 4 },
    vote: { samples: 4 },
    pose: { questions: 24, perStep: 16 },
    label: { samples: 5 },
    solve: { steps: 2, prompts: 4, samples: 3 },
  },
};

/** Takes the steps of a run at these sizes. */
export const takeSteps = (
  input: RunConfigInput,
  steps: number,
  { script = asksSums, ...setting }: Partial<Omit<Setting, 'script'>> & { script?: Script } = {},
): Promise<Taken> =>
  takeScripted(runConfigSchema.parse({ ...SMALL, ...input }), steps, {
    pack: packOf('instruct'),
    ...setting,
    script: ({ user, ...asked }) =>
      script({
        ...asked,
        question: user.startsWith('Ask one new question') ? null : (user.split('\n\n')[0] as string),
      }),
  });
