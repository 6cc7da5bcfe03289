import type { Compatibility } from './compatibility.ts';
import { fencedBodies, findFences, PYTHON_WORDS, tidyProgram } from './fences.ts';

/**
 * The literal a solver answered with: the last block of its kind, else the text after an `# Input:` / `# Output:` comment,
 * else an `<input>` / `<output>` tag, else the whole answer. There is always some text.
 * strict also takes the content of a single block with another word, since a literal in a python block is still the literal;
 * azr-compat keeps its fences (and so fails it), and tries `output(...)` and "the output is …" before giving up.
 */
export function readAnswerLiteral(answer: string, kind: 'input' | 'output', mode: Compatibility): string {
  const fences = findFences(answer);
  const found =
    fencedBodies(fences, kind).at(-1) ??
    lastMatch(answer, new RegExp(`#\\s*${kind}:\\s*(.*?)(?:\\n|$)`, 'gi')) ??
    (mode === 'azr-compat' ? lastMatch(answer, new RegExp(`\\b${kind}\\s*\\((.*?)\\)`, 'gis')) : undefined) ??
    lastMatch(answer, new RegExp(`<${kind}>(.*?)(?:</${kind}>|$)`, 'gis')) ??
    (mode === 'azr-compat'
      ? lastMatch(answer, new RegExp(`the ${kind} is\\s*:?\\s*(.*?)\\.?$`, 'gim'))
      : fences.at(-1)?.body) ??
    answer;
  return found.trim();
}

/**
 * The program an induction solver answered with; null without one. strict: the last python block, else the last block
 * without a word, else an answer that is nothing but a program. azr-compat: the last block of any kind, with the word of a
 * `py` block left in the program.
 */
export function readAnswerProgram(answer: string, mode: Compatibility): string | null {
  if (mode === 'azr-compat') {
    const body = [...answer.matchAll(/```(?:python\s*)?(.*?)```/gis)].at(-1)?.[1];
    return body === undefined ? null : tidyProgram(body);
  }
  const fences = findFences(answer);
  const body =
    fencedBodies(fences, ...PYTHON_WORDS).at(-1) ??
    fencedBodies(fences, '').at(-1) ??
    (fences.length === 0 && /^(?:def|import|from|class|@|#)[\s\S]*\bdef\b|^def\b/.test(answer.trim())
      ? answer
      : undefined);
  return body === undefined || body.trim() === '' ? null : tidyProgram(body);
}

/**
 * The name a solver answered with: the first word, before a space or colon, so that "ValueError: too large" is one (AZR
 * reward_managers.py:483-489); '' without any. strict looks into the last block when the answer has one; the original reads the
 * answer as it stands.
 */
export function readAnswerName(answer: string, mode: Compatibility): string {
  const text = mode === 'strict' ? (findFences(answer).at(-1)?.body ?? answer) : answer;
  return text.trim().split(/[\s:]/)[0] ?? '';
}

function lastMatch(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}
