import type { AskedAnswer, AskedContextChoice, AskedSide } from '../contract/index.ts';
import { Failure } from '../contract/index.ts';
import { sha256Hex } from '../core/index.ts';
import { under, type ResolvedSubject } from '../evaluation/index.ts';
import { loadPromptPack, type PromptPack, type ResourcePaths } from '../library/index.ts';
import type { SampleRequest } from '../models/index.ts';
import { contextText } from '../supervision/index.ts';
import type { AskingServices } from './services.ts';

type Turn = AskedAnswer['messages'][number];

/** A question as it will be put to one model. */
export type PutQuestion = Pick<AskedAnswer, 'frame' | 'context' | 'messages'> & { pack: PromptPack };

/** The pack whose system message the subject knows. */
const packOf = (resources: ResourcePaths, { config }: ResolvedSubject): PromptPack =>
  loadPromptPack(resources.prompts(config.policy.promptPack), config.policy.promptPack);

/**
 * What is said to one model: its system message, what was said before, and the question.
 * @param before the answer whose conversation goes on, null for a new one.
 * @throws Failure `noContext` (exit code 2).
 */
export function putQuestion(
  { storeOf, resources }: Pick<AskingServices, 'storeOf' | 'resources'>,
  resolved: ResolvedSubject,
  { frame, context: choice }: Pick<AskedSide, 'frame' | 'context'>,
  question: string,
  before: AskedAnswer | null,
): PutQuestion {
  const pack = packOf(resources, resolved);
  const context = contextOf(storeOf, resolved, choice, pack);
  const said: Turn[] =
    before === null
      ? []
      : [
          ...before.messages.filter(({ role }) => role !== 'system'),
          { role: 'assistant', content: before.text },
        ];
  const turns: Turn[] = [...said, { role: 'user', content: question }];
  const text = context?.text ?? '';
  const messages: Turn[] =
    frame === 'none'
      ? under(text.trim(), turns)
      : [{ role: 'system', content: pack.render('system', { role: frame, context: text }) }, ...turns];
  return { frame, context, messages, pack };
}

/** @throws Failure `noContext` (exit code 2) where a context of a run is wanted and there is none. */
function contextOf(
  storeOf: AskingServices['storeOf'],
  { subject: { runId, step, label } }: ResolvedSubject,
  choice: AskedContextChoice,
  pack: PromptPack,
): AskedAnswer['context'] {
  if (choice.from === 'none') return null;
  if (choice.from === 'lines') {
    const text = contextText(
      pack,
      choice.lines.map((line) => ({ text: line })),
    );
    return { hash: sha256Hex(text), text, runId: null, step: null };
  }
  if (runId === null || step === null)
    throw new Failure(
      'noContext',
      `${label} belongs to no run, so it has no context; ask without one, or write its lines yourself.`,
      2,
    );
  const record = storeOf(runId).getContext(runId, step + 1);
  if (record === null)
    throw new Failure(
      'noContext',
      `${label} has no context yet: its run has not come to the end of that step.`,
      2,
    );
  return { hash: record.hash, text: record.text, runId, step: step + 1 };
}

/**
 * The request that a model is given. Packs of plain text, and models without a chat, get the conversation as one text to go on with.
 * @param hasChat whether the model puts messages into a form of its own.
 */
export function sampleRequest(
  { frame, messages, pack }: PutQuestion,
  seed: number,
  hasChat: boolean,
): SampleRequest {
  const isPlain = frame !== 'none' && pack.has('frame');
  if (!isPlain && hasChat) return { key: 'answer', messages, raw: false, stops: [], seed };
  const text = isPlain
    ? framedText(pack, messages)
    : `${messages.map(({ content }) => content).join('\n\n')}\n`;
  return {
    key: 'answer',
    messages: [{ role: 'user', content: text }],
    raw: 'plain',
    stops: isPlain ? pack.stops : [],
    seed,
  };
}

function framedText(pack: PromptPack, messages: readonly Turn[]): string {
  let system = messages[0]?.role === 'system' ? messages[0].content : '';
  let text = '';
  for (const { role, content } of messages) {
    if (role === 'assistant') text += content;
    if (role !== 'user') continue;
    text += pack.render('frame', { system, user: content });
    system = '';
  }
  return text;
}
