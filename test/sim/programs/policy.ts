import { uniform } from '../../../electron/core/index.ts';

/** The only programs of the simulated world: `x*a+b`. What they do is computed here, in place of a Python. */
const PROGRAM = /def f\(x\):\n +return x\*(-?\d+)\+(-?\d+)/g;

export type Program = { factor: number; summand: number };

export function readProgram(text: string): Program | null {
  const found = [...text.matchAll(PROGRAM)].at(-1);
  return found === undefined ? null : { factor: Number(found[1]), summand: Number(found[2]) };
}

export const writeProgram = ({ factor, summand }: Program): string =>
  `def f(x):\n return x*${factor}+${summand}`;

/** Programs that no runner survives, in every world: what they come to is a result like any other. */
export const isDeadly = ({ factor, summand }: Program): boolean => factor === 4 && summand > 13;

export const runProgram = ({ factor, summand }: Program, input: number): number => input * factor + summand;

const answerOf = (thought: string, kind: string, body: string): string =>
  `<think>${thought}</think>\n<answer>\`\`\`${kind}\n${body}\n\`\`\`</answer>`;

/**
 * What the simulated policy says: right, wrong, in a broken form or nothing at all. A function of weights, prompt, seed and sample, as
 * the promise of the trainer has it; without temperature the seed counts for nothing.
 */
export function answerTo(
  weights: string,
  { seed, ...item }: { key: string; seed: number } & Record<string, unknown>,
  sample: number,
  temperature: number,
): string {
  const { key: _, tag: __, ...asked } = item;
  const prompt = JSON.stringify(asked);
  const draw = (what: string): number => uniform(temperature === 0 ? 0 : seed, weights, prompt, sample, what);
  const whole = (what: string, size: number): number => Math.floor(draw(what) * size);
  const mood = draw('mood');
  if (mood < 0.05) return '';
  if (mood < 0.1) return 'I do not know.';
  const text = lastMessage(asked);
  const thought = `step ${whole('thought', 9)}`;
  const program = readProgram(text);
  const noise = mood < 0.3 ? 1 + whole('wrong', 5) : 0;
  if (/^Propose/m.test(text)) {
    const own = { factor: whole('factor', 9) - 4, summand: whole('summand', 20) };
    const body = `${writeProgram(own)}${noise > 0 ? '\n +' : ''}`;
    return `<think>${thought}</think>\n<answer>\`\`\`python\n${body}\n\`\`\`\n\`\`\`input\n${whole('input', 50)}\n\`\`\`</answer>`;
  }
  if (program === null) return answerOf(thought, 'output', 'no');
  const input = /f\((-?\d+)\)=\?/.exec(text)?.[1];
  if (input !== undefined)
    return answerOf(thought, 'output', String(runProgram(program, Number(input)) + noise));
  const output = Number(/f\(\?\)=(-?\d+)/.exec(text)?.[1] ?? 0);
  const found = program.factor === 0 ? 0 : (output - program.summand) / program.factor;
  return answerOf(thought, 'input', String(Math.trunc(found) + noise));
}

function lastMessage(asked: Record<string, unknown>): string {
  const messages = asked['messages'] as { content: string }[] | undefined;
  return messages?.at(-1)?.content ?? String(asked['prompt'] ?? asked['plain'] ?? '');
}
