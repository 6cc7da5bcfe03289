import type { EvalPlusTask } from './task.ts';

export type EvalPlusStyle = 'chat' | 'base';

/** What a model is asked. The answer is generated greedily, one per task. */
export type EvalPlusPrompt = {
  style: EvalPlusStyle;
  /** chat: the user's turn. base: the text to continue. */
  prompt: string;
  /** chat: how the assistant's turn begins, ending inside an opened code fence. */
  prefill: string;
  /** The first of these to come ends the answer and does not belong to it. */
  stops: readonly string[];
  maxNewTokens: number;
};

/** EvalPlus's own limit: an answer is a program, without room to think first. */
const MAX_NEW_TOKENS = 768;
const ALWAYS = ['\nif __name__', '\ndef main(', '\nprint('];
const BASE_STOPS = {
  humaneval: ['\ndef ', '\nclass ', '\nimport ', '\nfrom ', '\nassert '],
  mbpp: ['\n"""', '\nassert'],
};
// EvalPlus's protocol in our own words; scores of one model under another wording of the same request may differ a little.
const REQUEST =
  'Write one self-contained Python script that solves the problem below, in a Markdown code block:';
const REPLY =
  'Here is a self-contained Python script whose function solves the problem and passes its tests:';

/** The question of a task: for chat models a request and a pre-filled answer, for base models the bare prompt to continue. */
export function evalPlusPrompt(task: EvalPlusTask, style: EvalPlusStyle): EvalPlusPrompt {
  const prompt = task.prompt.trim();
  if (style === 'base')
    return {
      style,
      prompt: `${prompt}\n`,
      prefill: '',
      stops: [...ALWAYS, ...BASE_STOPS[task.dataset]],
      maxNewTokens: MAX_NEW_TOKENS,
    };
  return {
    style,
    prompt: `${REQUEST}\n\`\`\`\n${prompt}\n\`\`\`\n`,
    prefill: `${REPLY}\n\`\`\`python\n`,
    stops: [...ALWAYS, '\n```\n'],
    maxNewTokens: MAX_NEW_TOKENS,
  };
}

/**
 * The text a program is taken out of: the completion up to the first stop, with tabs as four spaces; behind the prompt where
 * the model continued it. Hand it to `sanitize`.
 */
export function answerText(question: EvalPlusPrompt, completion: string): string {
  const ends = question.stops.map((stop) => completion.indexOf(stop)).filter((at) => at >= 0);
  const answer = completion.slice(0, Math.min(completion.length, ...ends)).replaceAll('\t', '    ');
  return question.style === 'base' ? question.prompt + answer : answer;
}
