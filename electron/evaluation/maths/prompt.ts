import type { MathsItem } from './suites.ts';
import type { Extraction, Mode } from './extract.ts';

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
  item: Pick<MathsItem, 'question' | 'context'>,
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
  return (cuts.length === 0 ? response : response.slice(0, Math.min(...cuts))).trim();
}
