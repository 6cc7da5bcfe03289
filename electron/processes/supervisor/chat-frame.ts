import { createContext, Script } from 'node:vm';
import { resolveChatWrapper, type ChatHistoryItem, type LlamaModel, type Token } from 'node-llama-cpp';
import { ProcessFailure } from '../child/failures.ts';
import type { ChatMessage } from '../trainer-wire.ts';

/** Published templates take milliseconds, also where thirty forms are tried against one. */
const TEMPLATE_MS = 2000;

/**
 * What a chat template with the switch for thinking writes at the beginning of the answer where thinking is off: a judge's answers have
 * a form that leaves no place for it. '' for templates without the switch.
 */
export function thinkingOff(template: string | null): string {
  if (template === null || !/\benable_thinking\b/.test(template)) return '';
  // In the template this is a text in quotes, so a line's end is written as a backslash and an n.
  const [written = ''] = /<think>(?:\\n|\n)*<\/think>(?:\\n|\n)*/.exec(template) ?? [];
  return written.replaceAll('\\n', '\n');
}

/** Turns a conversation into the tokens of a chat that waits for the assistant's answer. */
export type ChatFrame = {
  name: string;
  /**
   * Every turn stands where it was said; a last turn of the assistant's is how the answer begins. Texts are tokenised as plain text,
   * so that markers in them stay text; only the frame itself has control tokens.
   */
  tokens(messages: readonly ChatMessage[]): Token[];
};

/**
 * ChatML is framed by ourselves where the model knows its two control tokens and its template (or the lack of one) allows:
 * the tokens are then byte for byte those of training. Any other model gets the wrapper that fits its template.
 */
export function chatFrame(model: LlamaModel, template: string | null): ChatFrame {
  const start = controlToken(model, '<|im_start|>');
  const end = controlToken(model, '<|im_end|>');
  const usesChatMl =
    template === null || (template.includes('<|im_start|>') && template.includes('<|im_end|>'));
  if (start !== null && end !== null && usesChatMl)
    return chatMlFrame(model, start, end, thinkingOff(template));
  return wrapperFrame(model);
}

function chatMlFrame(model: LlamaModel, start: Token, end: Token, noThought: string): ChatFrame {
  const plain = (text: string): Token[] => model.tokenize(text, false);
  const turn = (role: string, text: string): Token[] => [
    start,
    ...plain(`${role}\n${text}`),
    end,
    ...plain('\n'),
  ];
  return {
    name: 'ChatML',
    tokens: (messages) => {
      const { turns, begin } = readConversation(messages);
      return [
        ...turns.flatMap(({ role, content }) => turn(role, content)),
        start,
        ...plain(`assistant\n${noThought}`),
        ...plain(begin),
      ];
    },
  };
}

function wrapperFrame(model: LlamaModel): ChatFrame {
  const wrapper = withinTime(() =>
    resolveChatWrapper(model, {
      warningLogs: false,
      // The switch of templates that let a model think before it answers.
      customWrapperSettings: {
        qwen: { thoughts: 'discourage' },
        jinjaTemplate: { additionalRenderParameters: { enable_thinking: false } },
      },
    }),
  );
  return {
    name: wrapper.wrapperName,
    tokens: (messages) => {
      const { turns, begin } = readConversation(messages);
      const [first] = turns;
      const system = first?.role === 'system' ? first.content : undefined;
      const chatHistory: ChatHistoryItem[] = [
        ...wrapper.generateInitialChatHistory({ systemPrompt: system }),
        ...turns.slice(system === undefined ? 0 : 1).map(asHistory),
        { type: 'model', response: [] },
      ];
      const { contextText } = withinTime(() => wrapper.generateContextState({ chatHistory }));
      const tokens = contextText.tokenize(model.tokenizer);
      return begin === '' ? tokens : [...tokens, ...model.tokenize(begin, false)];
    },
  };
}

const bounded: { work: () => unknown } = createContext({ work: () => null }) as never;
const call = new Script('work()');

/**
 * What a model's template does is a program that came with the model. Where the machine gives it no core, time passes without any
 * computing: then it is done again, and waited for twice as long. @throws ProcessFailure `badModel` when it computes for `mostMs`.
 */
export function withinTime<T>(work: () => T, mostMs = TEMPLATE_MS): T {
  bounded.work = work;
  const begun = process.cpuUsage();
  for (let waitMs = 2 * mostMs; ; waitMs *= 2) {
    try {
      return call.runInContext(bounded as never, { timeout: waitMs }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(begun);
      if ((user + system) / 1000 >= mostMs)
        throw new ProcessFailure('supervisor', {
          kind: 'badModel',
          message: `the model's chat template takes more than ${mostMs / 1000} s to compute; use a model with another one.`,
        });
    }
  }
}

/** The turns that are over, and how the answer begins. An empty system text is none. */
function readConversation(messages: readonly ChatMessage[]): {
  turns: readonly ChatMessage[];
  begin: string;
} {
  const spoken = messages.filter(({ role, content }) => role !== 'system' || content !== '');
  const last = spoken.at(-1);
  return last?.role === 'assistant'
    ? { turns: spoken.slice(0, -1), begin: last.content }
    : { turns: spoken, begin: '' };
}

function asHistory({ role, content }: ChatMessage): ChatHistoryItem {
  return role === 'assistant' ? { type: 'model', response: [content] } : { type: role, text: content };
}

/** The single control token that `text` stands for, or null. */
function controlToken(model: LlamaModel, text: string): Token | null {
  const tokens = model.tokenize(text, true);
  const [token] = tokens;
  return tokens.length === 1 && token !== undefined && model.isSpecialToken(token) ? token : null;
}
