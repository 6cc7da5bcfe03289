import type { LiveCodeBenchStyle } from './prompt.ts';

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
