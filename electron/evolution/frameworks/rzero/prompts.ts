import type { Role } from '../../../contract/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { framed, type Prompt } from '../../loop/framework.ts';
import { parseQuestion, questionKey } from './parsing.ts';

const ASK = 'propose-question';

/** The prompt of a template, with what the pack has for it beside its text: an example, how the answer begins, what ends it. */
function prompt(pack: PromptPack, role: Role, user: string, context: string, template: string): Prompt {
  const textOf = (kind: string): string | null =>
    pack.has(`${kind}-${template}`) ? pack.render(`${kind}-${template}`, {}) : null;
  const [asked, answered, opening, stop] = ['example', 'answer', 'open', 'stop'].map(textOf);
  return framed(pack, {
    system: pack.render('system-question', { role, context }),
    user,
    ...(asked == null || answered == null ? {} : { example: { asked, answered } }),
    ...(opening == null ? {} : { opening }),
    ...(stop == null ? {} : { stops: [stop] }),
  });
}

/** Asks for a new question. Nothing in it differs from one to the next: what differs is the draw. */
export const challengePrompt = (pack: PromptPack, context: string): Prompt =>
  prompt(pack, 'proposer', pack.render(ASK, {}), context, ASK);

/** Asks for the answer to a question: the same prompt where answers are votes and where they are trained. */
export const solvePrompt = (pack: PromptPack, question: string, context: string): Prompt =>
  prompt(pack, 'solver', pack.render('solve-question', { question }), context, 'solve-question');

/** Whether a question is that of the pack's own example. */
export function isExample(pack: PromptPack, question: string): boolean {
  if (!pack.has(`answer-${ASK}`)) return false;
  const shown = parseQuestion(pack.render(`answer-${ASK}`, {}), false, 'strict');
  return shown.ok && questionKey(shown.question) === questionKey(question);
}
