import { uniform } from '../../../electron/core/index.ts';
import { Refusal, type Behaviour, type Work } from './program.ts';

/** A supervisor whose reviews are chosen among the likely ones by a number that its question gives. */
export function supervisor(pace: { noise: (path: string) => number }): Behaviour {
  let loaded = false;
  const timed = { tokensIn: 10, tokensOut: 5, milliseconds: 3 };
  const answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    hello: () => ({ pid: 1, node: 'simulated' }),
    load: ({ contextSize }) => {
      loaded = true;
      return {
        architecture: 'llama',
        parameters: 32,
        contextSize,
        trainContextSize: 4096,
        sizeBytes: 1,
        loadMs: 1,
        chat: 'ChatML',
        gpu: null,
      };
    },
    unload: () => {
      loaded = false;
      return {};
    },
    review: ({ system, user, likely, seed }) => {
      const draw = uniform(seed as number, system as string, user as string);
      const choices = likely as string[] | undefined;
      const text =
        draw < 0.05 || choices === undefined
          ? '{"decision"'
          : (choices[Math.floor(draw * choices.length)] as string);
      return { text, ...timed, stopReason: 'end', value: text.endsWith('}') ? JSON.parse(text) : null };
    },
    weigh: ({ questions }) => ({
      logOdds: (questions as string[]).map((question) => uniform(1, question) - 0.5),
      decided: (questions as string[]).map(() => 1),
      tokensIn: 10,
      milliseconds: 3,
    }),
    complete: ({ messages, prompt, seed }) => ({
      text: `Line ${Math.floor(uniform(seed as number, JSON.stringify(messages ?? prompt)) * 9)}.`,
      ...timed,
      stopReason: 'end',
    }),
    tokenCount: ({ text }) => ({ tokens: (text as string).length >> 2 }),
    frame: () => ({ ids: [], controlPositions: [], text: '' }),
    cancel: () => ({}),
  };
  return {
    heartbeatMs: 2000,
    handle({ method, params }): Work {
      const answer = answers[method];
      if (answer === undefined) throw new Refusal('badRequest', `There is no method ${method}.`);
      if (!loaded && !['hello', 'load', 'cancel'].includes(method))
        throw new Refusal('notLoaded', 'No model is loaded.');
      return { takesMs: 2 * 300 ** pace.noise(method), answer: () => answer(params) };
    },
  };
}
