import type { ContextLine } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';

/** A walk in the country, read round and round. Nothing in it speaks of programs, tasks, answers, requests or rules. */
const WORDS =
  `Grey clouds drift over a quiet hill and soft rain falls on old stones beside the river while brown leaves turn in the wind near a
  mossy wall as dusk comes to the valley`
    .split(/\s+/)
    .map((word) => word.toLowerCase());

/** Fits the last gap where the next word of the walk is too long. */
const SHORT_WORDS = ['a', 'an', 'so', 'by', 'at', 'up', 'oh', 'we', 'it', 'e', 'o', 'i', 'u'];

/**
 * Context lines with neutral text in place of their own, except those `keep` names. After each line the context so far takes as
 * many tokens as it did before, so the whole does too. The same lines always give the same text; a line keeps its words as long
 * as the lines before it stay.
 * @param count tokens of a context of such lines, as the policy counts them.
 */
export async function withNeutralText(
  lines: readonly ContextLine[],
  keep: (line: ContextLine) => boolean,
  count: (lines: readonly { text: string }[]) => Promise<number>,
): Promise<{ text: string }[]> {
  const shown: { text: string }[] = [];
  for (const [index, line] of lines.entries()) {
    if (keep(line)) {
      shown.push(line);
      continue;
    }
    const wanted = await count(lines.slice(0, index + 1));
    shown.push({ text: await neutralLine(line.id, wanted, (text) => count([...shown, { text }])) });
  }
  return shown;
}

/** One line with which the context takes `wanted` tokens, or the longest that takes fewer where no wording comes out even. */
async function neutralLine(
  id: string,
  wanted: number,
  count: (text: string) => Promise<number>,
): Promise<string> {
  const start = Number.parseInt(sha256Hex(id).slice(0, 8), 16) % WORDS.length; // lines of one context begin at different places
  const words: string[] = [];
  let next = WORDS[start] as string;
  for (
    let tokens = await count(sentence([next]));
    tokens <= wanted;
    tokens = await count(sentence([...words, next]))
  ) {
    words.push(next);
    if (tokens === wanted) return sentence(words);
    next = WORDS[(start + words.length) % WORDS.length] as string;
  }
  for (let kept = words.length; kept >= Math.max(0, words.length - 1); kept -= 1) {
    for (const word of [...SHORT_WORDS, ...WORDS]) {
      const text = sentence([...words.slice(0, kept), word]);
      if ((await count(text)) === wanted) return text;
    }
  }
  return sentence(words);
}

function sentence(words: readonly string[]): string {
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
