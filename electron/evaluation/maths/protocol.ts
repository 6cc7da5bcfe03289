import { spansBetween } from '../../core/index.ts';
import { compatibleForm, pythonStrip, withoutLineEnds } from './normal/compatible.ts';
import { closingBraces, repairedForm, unboxed } from './normal/repaired.ts';

export type MathsTemplate = 'azr' | 'azr_boxed' | 'qwen-boxed';

/** Whether two answers are the same: by math-verify, or by the tolerant rules of Qwen's grader before it. */
type Equality = 'math-verify' | 'qwen';

export type MathsProtocol = {
  template: MathsTemplate;
  extraction: Extraction;
  mode: Mode;
  equality: Equality;
};

/**
 * The published protocols. AZR's models are trained on the first two (boxed for its coder models); base models need the third, and
 * score far lower under the first.
 */
export const MATHS_PROTOCOLS: Readonly<Record<MathsTemplate, MathsProtocol>> = {
  azr: { template: 'azr', extraction: 'azr', mode: 'compatible', equality: 'math-verify' },
  azr_boxed: { template: 'azr_boxed', extraction: 'azr', mode: 'compatible', equality: 'math-verify' },
  'qwen-boxed': { template: 'qwen-boxed', extraction: 'qwen', mode: 'compatible', equality: 'math-verify' },
};

type MathsPrompt = {
  /** Chat messages. Those of the AZR templates are one turn for a model without a system role, and end with an opened think tag. */
  messages: { role: 'system' | 'user'; content: string }[];
  answersPerItem: number;
  temperature: number;
  topP: number;
  maxNewTokens: number;
  seed: number;
  stops: readonly string[];
};

// The published protocols in our own words; scores under another wording of the same request may differ a little.
const DIALOGUE =
  'What follows is a dialogue between a User and an Assistant. The User asks for something; the Assistant first thinks it through on its own and then answers. The thinking stands between <think> and </think> tags, the answer between <answer> and </answer> tags.';
const STEPS_AND_BOX = 'Work it out step by step and give the final result inside \\boxed{}.';
const HELPER = 'You are an assistant who helps.';
const STOPS = ['</s>', '<|im_end|>', '<|endoftext|>'];

/** The question of an item. Greedy, one answer, at most 16,000 tokens, seed 2: the published numbers. */
export function mathsPrompt(
  item: { question: string; context: string | null },
  protocol: MathsProtocol,
): MathsPrompt {
  const question =
    protocol.mode === 'repaired' && item.context !== null
      ? `${item.context.trim()}\n\n${item.question}`
      : item.question;
  return {
    messages: messagesOf(question, protocol.template),
    answersPerItem: 1,
    temperature: 0,
    topP: 1,
    maxNewTokens: 16_000,
    seed: 2,
    stops: STOPS,
  };
}

function messagesOf(question: string, template: MathsTemplate): MathsPrompt['messages'] {
  switch (template) {
    case 'azr':
      return [{ role: 'user', content: `${DIALOGUE}\nUser: ${question}\nAssistant: <think>` }];
    case 'azr_boxed':
      return [
        { role: 'user', content: `${DIALOGUE}\nUser: ${question}\n${STEPS_AND_BOX}\nAssistant: <think>` },
      ];
    case 'qwen-boxed':
      return [
        { role: 'system', content: HELPER },
        { role: 'user', content: `${question}\n${STEPS_AND_BOX}` },
      ];
  }
}

/** What an answer is graded on: up to the first stop text, without the space around it. */
export function untilStop(response: string): string {
  const cuts = STOPS.map((stop) => response.indexOf(stop)).filter((at) => at >= 0);
  return pythonStrip(cuts.length === 0 ? response : response.slice(0, Math.min(...cuts)));
}

/** azr: what AZR's models are trained to write; qwen: the chain of cues of Qwen's grader; boxed: a box or nothing. */
export type Extraction = 'azr' | 'qwen' | 'boxed';
/** compatible: as the published graders have it, damage included. repaired: the same sources read without the damage. */
export type Mode = 'compatible' | 'repaired';

/**
 * The answer of a response in the form that is compared, or null when there is none. `keepUnits` for Minerva.
 * In compatible mode AZR's box stays around the answer, as there.
 */
export function extractAnswer(
  response: string,
  extraction: Extraction,
  mode: Mode,
  keepUnits: boolean,
): string | null {
  if (mode === 'repaired') return extractWhole(response, extraction)?.form ?? null;
  if (isFailed(response)) return null;
  const found = compatibleFind(response, extraction, keepUnits);
  return found === '' ? null : found;
}

/** A response of this one word is how the published pipeline marks a failed generation. */
const isFailed = (response: string): boolean => response === '' || response === 'error';

/** The answer as it stands in the response and in its repaired form; null when there is none. */
export function extractWhole(
  response: string,
  extraction: Extraction,
): { whole: string; form: string } | null {
  if (isFailed(response)) return null;
  const whole = repairedFind(response, extraction);
  const form = repairedForm(whole);
  return form === '' ? null : { whole: unboxed(whole), form };
}

function compatibleFind(response: string, extraction: Extraction, keepUnits: boolean): string {
  if (extraction === 'qwen') return compatibleForm(qwenAnswer(response, keepUnits), keepUnits);
  return compatibleForm(
    extraction === 'azr' ? azrAnswer(response) : (lastBox(response)?.inside ?? ''),
    keepUnits,
  );
}

function azrAnswer(response: string): string {
  const tagged = insideAnswerTags(response);
  if (tagged !== null) return tagged.includes('boxed') ? azrBox(tagged) : tagged;
  if (response.includes('boxed')) return azrBox(response);
  // The first display on one line, although "last" is what the published comment says.
  const lines = response.split('\n');
  return pythonStrip(lines.map((line) => displays(line)[0]).find((first) => first !== undefined) ?? '');
}

/** The formulas between \[ and \]. */
const displays = (text: string): string[] => spansBetween(text, /\\\[/g, /\\\]/g);

function insideAnswerTags(response: string): string | null {
  const from = response.lastIndexOf('<answer>');
  return from < 0 ? null : pythonStrip(response.slice(from + '<answer>'.length).split('</answer>')[0]!);
}

/** The last box with its command, braces counted without regard for escapes; empty when it is never closed. */
function azrBox(text: string): string {
  const spaced = text.lastIndexOf('\\boxed ');
  if (spaced >= 0) return pythonStrip(text.slice(spaced).split('$')[0]!);
  const from = Math.max(
    text.lastIndexOf('\\boxed'),
    text.includes('\\boxed') ? -1 : text.lastIndexOf('\\fbox'),
  );
  return from < 0 ? '' : pythonStrip(text.slice(from, plainClosing(text, from) + 1));
}

/** Index of the brace that brings the count back to zero, or one before `from`. */
function plainClosing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return from - 1;
}

/** The chain of cues of Qwen's grader; the form is made once here and once more by the caller, as there. */
export function qwenAnswer(response: string, keepUnits: boolean): string {
  let found = withoutLineEnds(qwenCue(response.replaceAll('\u043a\u0438', '')));
  if (found.startsWith(':')) found = found.slice(1);
  if (found.endsWith('.')) found = found.slice(0, -1);
  if (found.endsWith('/')) found = found.slice(0, -1);
  return compatibleForm(found, keepUnits);
}

function qwenCue(text: string): string {
  const after = (cue: string): string => pythonStrip(text.slice(text.lastIndexOf(cue) + cue.length));
  const minerva = text.indexOf('final answer is $');
  if (minerva >= 0 && text.includes('$. I hope'))
    return pythonStrip(text.slice(minerva + 'final answer is $'.length).split('$. I hope')[0]!);
  if (text.includes('boxed')) return afterBoxed(text.slice(text.lastIndexOf('boxed') + 'boxed'.length));
  if (text.includes('he answer is')) return after('he answer is');
  if (text.includes('final answer is')) return after('final answer is');
  if (text.includes('答案是')) return pythonStrip(pythonStrip(text.split('答案是')[1]!).split('\n\n')[0]!);
  return (
    text
      .replaceAll(',', '')
      .match(/-?\p{Nd}*\.?\p{Nd}+/gu)
      ?.at(-1) ?? ''
  );
}

function afterBoxed(rest: string): string {
  if (!rest.startsWith('{')) return pythonStrip(rest.split('$')[0]!);
  const to = plainClosing(rest, 0);
  return rest.slice(1, to < 0 ? undefined : to);
}

/** The last box of either kind that is closed. */
function lastBox(text: string): { inside: string } | null {
  const closed = closingBraces(text);
  for (const command of [...text.matchAll(/\\(?:boxed|fbox)\s*(\{|[^\s{$])/g)].toReversed()) {
    const brace = command.index + command[0].length - 1;
    if (text[brace] !== '{') return { inside: text.slice(brace).split(/[$\n]/)[0]! };
    const to = closed.get(brace);
    if (to !== undefined) return { inside: text.slice(brace + 1, to) };
  }
  return null;
}

function repairedFind(response: string, extraction: Extraction): string {
  const tagged = extraction === 'azr' ? insideAnswerTags(response) : null;
  const text = tagged ?? response;
  const box = lastBox(text);
  if (box !== null) return box.inside;
  if (extraction === 'boxed') return '';
  if (extraction === 'azr') return tagged ?? displays(response).at(-1) ?? '';
  return qwenCue(response);
}
