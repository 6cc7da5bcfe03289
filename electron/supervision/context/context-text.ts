/** A line is one sentence or two; longer text is cut at a word. */
const LONGEST_LINE = 160;

const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
const MARKUP =
  /<\|[^>]*\|?>|<\||\|>|<\/?\s*[a-z_]+\s*\/?>|\[\/?INST\]|<<\/?SYS>>|`{2,}|~{3,}|\{\{|\}\}|[{}]|^#+\s*/gim;
const ROLE = /\b(?:assistant|system|user|human)\s*:/gi;

/** Ways in which a feedback would speak to the agent about its instructions instead of about its work. */
const INSTRUCTION_ATTACK = new RegExp(
  [
    String.raw`\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:instruction|previous|above|earlier|prior|rule|guidance|policy|prompt)`,
    String.raw`\byou are (?:now|no longer)\b`,
    String.raw`\b(?:system|developer) (?:prompt|message|mode)\b`,
    String.raw`\bjailbreak`,
    String.raw`\bapprove (?:everything|all|any)\b`,
    String.raw`\b(?:always|only) (?:answer|reply|respond|output|print|write|return)\b`,
    String.raw`\bdo anything\b`,
    String.raw`\bskip (?:it|this)\b`,
    String.raw`\b(?:i|we) (?:order|command|instruct)\b`,
    String.raw`\b(?:reveal|print|repeat|output) (?:the|your) (?:prompt|instructions|answer|secret)`,
    String.raw`https?:`,
    String.raw`\bexec(?:ute)?\b[^.]{0,20}\b(?:code|command|shell)`,
  ].join('|'),
  'i',
);

/**
 * Feedback as a line of a context: NFKC, one line, no role markers, tags, fences or template braces, at most 160 characters.
 * Null when nothing is left or when it gives orders about the agent's instructions.
 */
export function contextLineText(feedback: string): string | null {
  let text = feedback.slice(0, 4000).normalize('NFKC').replace(INVISIBLE, '');
  // Removing one marker may join the halves of another, so it is repeated until nothing changes; each round shortens the text.
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(MARKUP, ' ').replace(ROLE, ' ').replace(/\s+/g, ' ').trim();
  }
  if (INSTRUCTION_ATTACK.test(text) || !/\p{L}/u.test(text)) return null;
  if (text.length <= LONGEST_LINE) return text;
  return text
    .slice(0, LONGEST_LINE + 1)
    .replace(/\s+\S*$/u, '')
    .slice(0, LONGEST_LINE);
}

/** Form under which two wordings count as the same line. */
export const sameLineKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
