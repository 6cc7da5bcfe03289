import type { Role } from '../../../contract/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { framed, type Prompt } from '../../loop/framework.ts';

const prompt = (pack: PromptPack, role: Role, user: string, context: string, template: string): Prompt =>
  framed(pack, {
    system: pack.render('system-question', { role, context }),
    user,
    ...(pack.has(`open-${template}`) ? { opening: pack.render(`open-${template}`, {}) } : {}),
  });

/** Asks for a new question. Nothing in it differs from one to the next: what differs is the draw. */
export const challengePrompt = (pack: PromptPack, context: string): Prompt =>
  prompt(pack, 'proposer', pack.render('propose-question', {}), context, 'propose-question');

/** Asks for the answer to a question: the same prompt where answers are votes and where they are trained. */
export const solvePrompt = (pack: PromptPack, question: string, context: string): Prompt =>
  prompt(pack, 'solver', pack.render('solve-question', { question }), context, 'solve-question');
