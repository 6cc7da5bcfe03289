import { compatibleForm, pythonStrip } from './normal/compatible.ts';
import { closingBrace, repairedForm } from './normal/repaired.ts';

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
  // A response of this one word is how the published pipeline marks a failed generation.
  if (response === '' || response === 'error') return null;
  const found =
    mode === 'repaired'
      ? repairedForm(repairedFind(response, extraction))
      : compatibleFind(response, extraction, keepUnits);
  return found === '' ? null : found;
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
  return pythonStrip(/\\\[(.*?)\\\]/.exec(response)?.[1] ?? '');
}

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
  let found = qwenCue(response.replaceAll('\u043a\u0438', '')).replace(/\n\s*/gu, '');
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
  for (const command of [...text.matchAll(/\\(?:boxed|fbox)\s*(\{|[^\s{$])/g)].toReversed()) {
    const brace = command.index + command[0].length - 1;
    if (text[brace] !== '{') return { inside: text.slice(brace).split(/[$\n]/)[0]! };
    const to = closingBrace(text, brace);
    if (to >= 0) return { inside: text.slice(brace + 1, to) };
  }
  return null;
}

function repairedFind(response: string, extraction: Extraction): string {
  const tagged = extraction === 'azr' ? insideAnswerTags(response) : null;
  const text = tagged ?? response;
  const box = lastBox(text);
  if (box !== null) return box.inside;
  if (extraction === 'boxed') return '';
  if (extraction === 'azr') return tagged ?? [...response.matchAll(/\\\[([\s\S]*?)\\\]/g)].at(-1)?.[1] ?? '';
  return qwenCue(response);
}
