import type { LlamaModel, Token } from 'node-llama-cpp';
import type { SupervisorWeighing } from '../supervisor-wire.ts';
import type { Prompt, PromptedSequence } from './sequence.ts';

const YES = ['Yes', 'yes', 'YES', ' Yes', ' yes'];
const NO = ['No', 'no', 'NO', ' No', ' no'];
/** What a word that is not among the next tokens at all is given, so that a logarithm exists. */
const LEAST = 1e-9;

/**
 * Log-odds of yes over no after each prompt. All prompts begin like `bare`, the same without a question: that much is evaluated once
 * and kept, the rest of each alone, so that every number is that of a fresh evaluation.
 */
export async function weighQuestions(
  model: LlamaModel,
  sequence: PromptedSequence,
  prompts: readonly Prompt[],
  bare: Prompt,
  check: () => void,
): Promise<Pick<SupervisorWeighing, 'logOdds' | 'decided' | 'tokensIn'>> {
  const yes = wordTokens(model, YES);
  const no = wordTokens(model, NO);
  const common = prompts.reduce((length, { tokens }) => commonLength(tokens, bare.tokens, length), Infinity);
  const logOdds: number[] = [];
  const decided: number[] = [];
  let tokensIn = 0;
  for (const [index, { tokens }] of prompts.entries()) {
    const asked = { tokens: tokens.slice(0, common), shared: bare.shared };
    if (index === 0) {
      const rest = await sequence.begin(asked, check);
      await sequence.sequence.evaluateWithoutGeneratingNewTokens([...rest]);
      check();
      tokensIn += common;
    } else await sequence.returnTo(common);
    const last = tokens.slice(common);
    tokensIn += last.length;
    const results = await sequence.sequence.controlledEvaluate([
      ...last.slice(0, -1),
      [
        last[last.length - 1] as Token,
        { generateNext: { probabilities: true, options: { temperature: 1, topK: 0 } } },
      ],
    ]);
    check();
    const next = results[last.length - 1]?.next.probabilities ?? new Map<Token, number>();
    const sum = (words: ReadonlySet<Token>): number =>
      [...words].reduce((total, token) => total + (next.get(token) ?? 0), 0);
    const [forYes, forNo] = [sum(yes), sum(no)];
    logOdds.push(Math.log(Math.max(forYes, LEAST)) - Math.log(Math.max(forNo, LEAST)));
    decided.push(forYes + forNo);
  }
  return { logOdds, decided, tokensIn };
}

/** The first token of each spelling that is a word by itself. */
function wordTokens(model: LlamaModel, spellings: readonly string[]): Set<Token> {
  const whole = spellings.map((text) => model.tokenize(text, false)).filter(({ length }) => length === 1);
  return new Set(whole.map(([token]) => token as Token));
}

function commonLength(tokens: readonly Token[], others: readonly Token[], most: number): number {
  const length = Math.min(tokens.length - 1, others.length, most);
  for (let index = 0; index < length; index++) if (tokens[index] !== others[index]) return index;
  return length;
}
