import { resolveChatWrapper, type ChatHistoryItem, type LlamaModel, type Token } from 'node-llama-cpp';

/** Turns a system text and an agent's text into the tokens of a chat that waits for the assistant's answer. */
export type ChatFrame = {
  name: string;
  /** Texts are tokenised as plain text, so that markers in them stay text; only the frame itself has control tokens. */
  tokens(system: string, user: string): Token[];
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
  if (start !== null && end !== null && usesChatMl) return chatMlFrame(model, start, end);
  return wrapperFrame(model);
}

function chatMlFrame(model: LlamaModel, start: Token, end: Token): ChatFrame {
  const plain = (text: string): Token[] => model.tokenize(text, false);
  const turn = (role: string, text: string): Token[] => [
    start,
    ...plain(`${role}\n${text}`),
    end,
    ...plain('\n'),
  ];
  return {
    name: 'ChatML',
    tokens: (system, user) => [
      ...(system === '' ? [] : turn('system', system)),
      ...turn('user', user),
      start,
      ...plain('assistant\n'),
    ],
  };
}

function wrapperFrame(model: LlamaModel): ChatFrame {
  const wrapper = resolveChatWrapper(model, { warningLogs: false });
  return {
    name: wrapper.wrapperName,
    tokens: (system, user) => {
      const chatHistory: ChatHistoryItem[] = [
        ...wrapper.generateInitialChatHistory({ systemPrompt: system === '' ? undefined : system }),
        { type: 'user', text: user },
        { type: 'model', response: [] },
      ];
      return wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
    },
  };
}

/** The single control token that `text` stands for, or null. */
function controlToken(model: LlamaModel, text: string): Token | null {
  const tokens = model.tokenize(text, true);
  const [token] = tokens;
  return tokens.length === 1 && token !== undefined && model.isSpecialToken(token) ? token : null;
}
