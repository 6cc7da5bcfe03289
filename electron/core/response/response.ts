import type { Compatibility } from './compatibility.ts';

export type ParsedResponse = {
  /** How the reasoning is meant to go: the `<plan>` section, or an opening list. Null when the response has none. */
  plan: string | null;
  planSource: 'tag' | 'list' | null;
  /** The rest of the think block; null when there is none. */
  thought: string | null;
  /** The text of the answer block; null without one. */
  answer: string | null;
  /** The response is a think block followed by an answer block. Decides the format penalty. */
  formatOk: boolean;
};

const TAGS = /<\/?(?:think|answer)>/g;
const STRICT_ORDER = '<think></think><answer></answer>';

/**
 * Splits a generated response into plan, thought and answer.
 * strict: exactly one think block, then exactly one answer block, and only white space around them.
 * azr-compat: the text starts with the two blocks and may go on; the answer is what follows the last `<answer>`.
 * Whatever the verdict on the format, the parts that can be made out are returned, so that reviewers have something to read.
 */
export function parseResponse(text: string, mode: Compatibility = 'strict'): ParsedResponse {
  const think = between(text, '<think>', '</think>', text.indexOf('<think>'));
  const { plan, planSource, thought } = splitPlan(think ?? '');
  return {
    plan,
    planSource,
    thought,
    answer: between(text, '<answer>', '</answer>', text.lastIndexOf('<answer>')),
    formatOk: hasFormat(text, mode),
  };
}

function hasFormat(text: string, mode: Compatibility): boolean {
  if (mode === 'azr-compat') return /^<think>.*?<\/think>\s*<answer>.*?<\/answer>/s.test(text.trim());
  return (
    (text.match(TAGS) ?? []).join('') === STRICT_ORDER &&
    /^\s*<think>.*<\/think>\s*<answer>.*<\/answer>\s*$/s.test(text)
  );
}

/** Text from a tag that opens at `start` to its closing tag, or to the end of a response that was cut off. */
function between(text: string, open: string, close: string, start: number): string | null {
  if (start < 0) return null;
  const rest = text.slice(start + open.length);
  const end = rest.indexOf(close);
  return (end < 0 ? rest.replace(/<answer>.*$/s, '') : rest.slice(0, end)).trim();
}

function splitPlan(think: string): Pick<ParsedResponse, 'plan' | 'planSource' | 'thought'> {
  const tagged = /<plan>(.*?)<\/plan>/s.exec(think);
  if (tagged) {
    const rest = `${think.slice(0, tagged.index)}${think.slice(tagged.index + tagged[0].length)}`;
    return { plan: orNull(tagged[1] as string), planSource: 'tag', thought: orNull(rest) };
  }
  const listed = openingList(think);
  if (listed === null) return { plan: null, planSource: null, thought: orNull(think) };
  return { plan: orNull(listed), planSource: 'list', thought: orNull(think.slice(listed.length)) };
}

/**
 * A model that was not taught the plan tag often opens with a list of steps. It counts as a plan when it starts the think
 * block as a numbered list or with "first", ends at a blank line, and is at most a quarter of the block in words.
 */
function openingList(think: string): string | null {
  const start = think.trimStart();
  if (!/^(?:\d+[.)]\s|step\s+1\b|first\b|to begin\b)/i.test(start)) return null;
  const end = start.search(/\n[ \t]*\n/);
  if (end < 0) return null;
  const list = think.slice(0, think.length - start.length + end);
  return wordCount(list) * 4 <= wordCount(think) ? list : null;
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
