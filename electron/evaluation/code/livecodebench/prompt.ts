import type { LiveCodeBenchProblem } from './problem.ts';

export type LiveCodeBenchStyle = 'generic' | 'azr';

type LiveCodeBenchPrompt = {
  style: LiveCodeBenchStyle;
  /** generic: chat messages. azr: one user turn for a model without a system role, which ends with an opened think tag. */
  messages: { role: 'system' | 'user'; content: string }[];
  answersPerProblem: number;
  temperature: number;
  topP: number;
  maxNewTokens: number;
  /** Seconds a test may take when answers to this prompt are graded. */
  testSeconds: number;
};

// LiveCodeBench's and AZR's protocols in our own words; scores under another wording of the same request may differ a little.
const EXPERT =
  'You write Python programs with great care. You get a question, which specifies a problem, and answer with a correct Python program that meets the specification and passes all tests, and with nothing else.';
const WITH_STARTER =
  'Begin your solution with the starter code below and put it between the code delimiters.';
const WITHOUT_STARTER =
  'Your program reads its input from stdin and writes the answer to stdout (do not run it on the samples yourself). Put it between code delimiters as below.';
const STUB = '# YOUR CODE HERE';
const DIALOGUE =
  'What follows is a dialogue between a User and an Assistant. The User asks for something; the Assistant first thinks it through on its own and then answers. The thinking stands between <think> and </think> tags, the answer between <answer> and </answer> tags.';
const AZR_TASK =
  'Solve this programming problem in Python. Give the whole program in a ```python block inside the answer tags.';

/** The question of a problem; the numbers are the published ones (10 answers at 0.2, or AZR's single greedy one). */
export function liveCodeBenchPrompt(
  problem: LiveCodeBenchProblem,
  style: LiveCodeBenchStyle,
): LiveCodeBenchPrompt {
  const question = questionOf(problem);
  if (style === 'generic') {
    return {
      style,
      messages: [
        { role: 'system', content: EXPERT },
        { role: 'user', content: question },
      ],
      answersPerProblem: 10,
      temperature: 0.2,
      topP: 0.95,
      maxNewTokens: 2000,
      testSeconds: 6,
    };
  }
  return {
    style,
    messages: [
      {
        role: 'user',
        content: `${DIALOGUE}\nUser: ${AZR_TASK}\n\n${question.trimEnd()}\nAssistant: <think>`,
      },
    ],
    answersPerProblem: 1,
    temperature: 0,
    topP: 1,
    maxNewTokens: 8096,
    testSeconds: 60,
  };
}

function questionOf({ statement, starterCode }: LiveCodeBenchProblem): string {
  const [format, code] = starterCode === '' ? [WITHOUT_STARTER, STUB] : [WITH_STARTER, starterCode];
  return `### Question:\n${statement}\n\n### Format: ${format}\n\`\`\`python\n${code}\n\`\`\`\n\n### Answer: (in the format above, with the backticks)\n\n`;
}

const FENCE = '```';
const PYTHON_BLOCK = /```python\n(.*?)```/gs;

/**
 * The program in an answer. generic: what lies between the last two lines with a code fence; with fewer than two there is no
 * program, which fails. azr: inside the last answer tags (or in the whole text, without any), the last block fenced as
 * ```python, else all of it; a fence without or with another name is no such block.
 */
export function extractLiveCodeBench(answer: string, style: LiveCodeBenchStyle): string {
  return style === 'generic' ? betweenLastFences(answer) : lastPythonBlock(insideAnswerTags(answer));
}

function betweenLastFences(answer: string): string {
  const lines = answer.split('\n');
  const fences = lines.flatMap((line, index) => (line.includes(FENCE) ? [index] : []));
  const [from, to] = fences.slice(-2);
  return from === undefined || to === undefined ? '' : lines.slice(from + 1, to).join('\n');
}

function insideAnswerTags(answer: string): string {
  const from = answer.lastIndexOf('<answer>');
  if (from < 0) return answer;
  const text = answer.slice(from + '<answer>'.length);
  const to = text.indexOf('</answer>');
  return to < 0 ? text : text.slice(0, to);
}

function lastPythonBlock(text: string): string {
  return [...text.matchAll(PYTHON_BLOCK)].at(-1)?.[1] ?? text;
}

/** Contest dates, both ends included, as days (2024-08-01); an end is the moment the day begins, as in the original. */
type DateWindow = { from?: string; to?: string };

/** The problems whose contest lies in the window. */
export function inWindow<Row extends { contestDate: string }>(
  rows: readonly Row[],
  { from, to }: DateWindow,
): Row[] {
  return rows.filter(({ contestDate }) => {
    const at = momentOf(contestDate);
    return (from === undefined || at >= momentOf(from)) && (to === undefined || at <= momentOf(to));
  });
}

/** ISO dates without a zone are compared as written. */
function momentOf(date: string): number {
  const at = Date.parse(
    /[zZ]|[+-]\d\d:\d\d$/.test(date) ? date : `${date.includes('T') ? date : `${date}T00:00:00`}Z`,
  );
  if (Number.isNaN(at)) throw new RangeError(`"${date}" is no date; write it as 2024-08-01.`);
  return at;
}
