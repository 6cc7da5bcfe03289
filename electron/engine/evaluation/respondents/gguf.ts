import { ProcessFailure, type SupervisorClient } from '../../../processes/index.ts';
import { cutAtStops, type Asked, type Given, type Respondent } from './respondent.ts';

/** The process takes 32 bits. */
const SEED_RANGE = 2 ** 32;
const MOST_STOPS = 16;
/** An answer takes at most this share of the window, so that the question has room too. */
const ANSWER_SHARE = 0.75;

/** A GGUF model that answers. */
export class GgufRespondent implements Respondent {
  readonly weightsSha256: string;
  readonly together: number;
  readonly #client: SupervisorClient;
  readonly #contextTokens: number;

  /** @param loaded how: `contextTokens` of question and answer together, and how many questions it takes `together` */
  constructor(
    client: SupervisorClient,
    sha256: string,
    { contextTokens, together }: { contextTokens: number; together: number },
  ) {
    this.#client = client;
    this.weightsSha256 = sha256;
    this.together = together;
    this.#contextTokens = contextTokens;
  }

  async answer(
    asked: readonly Asked[],
    protocol: Parameters<Respondent['answer']>[1],
    onAnswer: (given: Given) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (let at = 0; at < asked.length; at += this.together) {
      signal.throwIfAborted();
      (await this.#answerGroup(asked.slice(at, at + this.together), protocol, signal)).forEach(onAnswer);
    }
  }

  async #answerGroup(
    group: readonly Asked[],
    protocol: Parameters<Respondent['answer']>[1],
    signal: AbortSignal,
  ): Promise<Given[]> {
    const { temperature, topP, maxNewTokens } = protocol;
    const maxTokens = Math.min(maxNewTokens, Math.floor(this.#contextTokens * ANSWER_SHARE));
    const questions = group.map(({ question, seed }) => ({
      ...promptOf(question),
      seed: seed % SEED_RANGE,
      ...(question.stops.length === 0 ? {} : { stop: question.stops.slice(0, MOST_STOPS) }),
    }));
    try {
      const completions = await this.#client.completeTogether(
        { questions, maxTokens, temperature, topP },
        signal,
      );
      return group.map(({ key, question }, index) => {
        const completion = completions[index] ?? null;
        if (completion === null) return { key, text: '', newTokens: 0, finish: 'too-long' };
        return {
          key,
          text: cutAtStops(completion.text, question.stops),
          newTokens: completion.tokensOut,
          finish: completion.stopReason === 'length' ? 'length' : 'stop',
        };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProcessFailure) || error.kind !== 'requestKillsProcess') throw error;
      // A question that ends the process whenever it is asked costs its neighbours nothing: each is asked alone.
      if (group.length === 1)
        return group.map(({ key }) => ({ key, text: '', newTokens: 0, finish: 'error' }));
      const alone: Given[] = [];
      for (const one of group) alone.push(...(await this.#answerGroup([one], protocol, signal)));
      return alone;
    }
  }
}

/** A conversation in the one form that the process takes: what the system says, what the user asks, how the answer begins. */
function promptOf({
  messages,
  raw,
}: Asked['question']): { prompt: string } | { system: string; user: string; begin?: string } {
  if (raw) return { prompt: messages[0]?.content ?? '' };
  const of = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n\n');
  const begin = messages.at(-1)?.role === 'assistant' ? of('assistant') : '';
  return { system: of('system'), user: of('user'), ...(begin === '' ? {} : { begin }) };
}
