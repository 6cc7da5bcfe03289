import { asData } from '../../../core/index.ts';

/** What an agent said: its actions, what it wrote to the person, and whether it kept to the asked form. */
export type Reply = { actions: string[]; messages: string[]; wellFormed: boolean };

const LONGEST = 64_000; // characters read of an answer; a reply is below a thousandth of the longest generation
const MOST_OBJECTS = 64;
/** A closing tag after one of these stands inside a reply or behind it and ends no thinking. */
const REPLY_FIELD = /"(?:action|message)"\s*:/i;
const ACTION_FIELD = /"action"\s*:\s*"([^"\\]{1,60})"/gi;

/**
 * Reads a reply. Every JSON object with an action or a message counts, and every action that is named anywhere in one, so a second
 * object or a repeated field hides nothing. Without any, the whole text is the message. Thinking before a closing tag is left
 * out, unless a reply stands in it.
 */
export function readReply(answer: string): Reply {
  const text = asData(withoutThinking(answer), LONGEST);
  const objects = objectsIn(text);
  const named = [...text.matchAll(ACTION_FIELD)].map((match) => match[1]!);
  const actions = [
    ...named,
    ...objects.flatMap(({ action }) => (typeof action === 'string' ? [action] : [])),
  ].map((action) => action.trim().toLowerCase());
  const messages = objects.flatMap(({ message }) => (typeof message === 'string' ? [message] : []));
  return {
    actions: [...new Set(actions)],
    messages: messages.length === 0 ? [text] : messages,
    wellFormed: objects.length === 1 && messages.length === 1,
  };
}

function withoutThinking(answer: string): string {
  const end = answer.indexOf('</think>');
  if (end < 0) return answer;
  const [thought, rest] = [answer.slice(0, end), answer.slice(end + '</think>'.length)];
  const inReply = !/^\s*<think>/.test(thought) && REPLY_FIELD.test(thought);
  return inReply || rest.trim() === '' ? answer : rest;
}

/** The JSON objects in a text that have an action or a message; each begins at a brace and ends where it parses. */
function objectsIn(text: string): { action?: unknown; message?: unknown }[] {
  const found: { action?: unknown; message?: unknown }[] = [];
  let tried = 0;
  for (let from = text.indexOf('{'); from >= 0 && tried < MOST_OBJECTS; tried += 1) {
    const to = closing(text, from);
    const value = to < 0 ? null : parsed(text.slice(from, to + 1));
    if (value !== null && ('action' in value || 'message' in value)) found.push(value);
    from = text.indexOf('{', value === null ? from + 1 : to + 1);
  }
  return found;
}

function closing(text: string, from: number): number {
  let [depth, quoted] = [0, false];
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null; // not JSON: prose in braces
  }
}
