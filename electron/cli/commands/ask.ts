import { InvalidArgumentError } from 'commander';
import {
  ASKED_FRAMES,
  Failure,
  MOST_SIDES,
  type AskedAnswer,
  type AskedContextChoice,
  type AskedFrame,
  type AskedQuestion,
  type AskingOrder,
} from '../../contract/index.ts';
import { shownOnTerminal } from '../../core/index.ts';
import type { WorkingEngine } from '../engine-elsewhere.ts';
import { atLeastOne, wholeNumber, type Program } from '../program.ts';
import { onceAborted } from '../progress.ts';

type AskOptions = {
  model: string[];
  context: AskedContextChoice['from'];
  line: string[];
  as?: AskedFrame;
  temperature: number;
  topP: number;
  seed: number;
  maxTokens: number;
  after?: string;
  tokens?: boolean;
};

const collect = (value: string, all: string[]): string[] => [...all, value];

/** `anchor ask`, and `anchor asked` with what is kept of it. */
export function addAsk(program: Program): void {
  program.command
    .command('ask')
    .description(
      'Ask a model or checkpoint a question, or two of them the same one, and keep what they answer.',
    )
    .argument('<question>', 'what is asked')
    .option(
      '--model <ref>',
      'whom: embedded, a name of the library, a folder or .gguf file, run@step or run@last (twice for two answers)',
      collect,
      [],
    )
    .option(
      '--context <which>',
      'none, "run" (the context that the run of a checkpoint had reached) or "lines" (those of --line)',
      contextOption,
      'none',
    )
    .option('--line <text>', 'a line of a context of your own (repeatable)', collect, [])
    .option(
      '--as <role>',
      `as whom it is spoken to: ${ASKED_FRAMES.join(', ')} (default: assistant for checkpoints and the embedded policy, none for other models)`,
      frameOption,
    )
    .option('--temperature <number>', '0 takes the likeliest token each time', numberOption, 0)
    .option('--top-p <number>', 'share of the probability that sampling draws from', numberOption, 1)
    .option('--seed <number>', 'seed of a sampled answer', wholeNumber, 1)
    .option('--max-tokens <number>', 'tokens of an answer', atLeastOne, 256)
    .option('--after <question>', 'go on with the conversation of this question')
    .option('--tokens', 'show each token with its probability and the likeliest others')
    .addHelpText(
      'after',
      `
Examples:
  anchor ask "Can you clean the sealed key?" --model run-20260101@0 --model run-20260101@last
  anchor ask "Can you clean the sealed key?" --model run-20260101@last --context run
  anchor ask "Why is the sky blue?" --model /models/judge.gguf --temperature 0.7 --seed 3`,
    )
    .action(async (question: string, options: AskOptions) =>
      program.withAnyEngine(async (engine, signal) => {
        const stored = await askAndWait(program, engine, orderOf(question, options), signal);
        const tokens = options.tokens === true ? engine.store.askedTokens(stored.id) : null;
        program.print(tokens === null ? stored : { ...stored, tokens }, () =>
          [
            ...stored.answers.map(answerText),
            ...(tokens ?? []).map((each) =>
              each
                .map(({ text, probability, alternatives }) =>
                  [
                    `${percent(probability)}  ${JSON.stringify(text)}`,
                    ...alternatives.map(
                      (other) => `${JSON.stringify(other.text)} ${percent(other.probability)}`,
                    ),
                  ].join('   '),
                )
                .join('\n'),
            ),
          ].join('\n\n'),
        );
        const [problem] = stored.answers.flatMap((answer) => answer.problem ?? []);
        if (problem !== undefined) program.fail(problem);
      }),
    );
  const asked = program.command.command('asked').description('Questions that were asked of models.');
  asked
    .command('list')
    .description('Questions that were asked in this lab, newest first.')
    .option('--limit <number>', 'at most so many', atLeastOne, 20)
    .action(async ({ limit }: { limit: number }) =>
      program.withRecords((store) => {
        const all = store.listAsked(null, limit);
        program.print(all, () =>
          all.length === 0 ? 'Nothing was asked in this lab yet.' : all.map(headText).join('\n'),
        );
      }),
    );
  asked
    .command('show')
    .description('A question with its answers.')
    .argument('<id>', 'id of the question')
    .action(async (id: string) =>
      program.withRecords((store) => {
        const stored = store.requireAsked(id);
        program.print(stored, () => [headText(stored), ...stored.answers.map(answerText)].join('\n\n'));
      }),
    );
  asked
    .command('remove')
    .description('Delete questions with their answers.')
    .argument('<id...>', 'ids of questions')
    .action(async (ids: string[]) =>
      program.withAnyEngine(async (engine) => {
        await engine.asking.remove(ids);
        program.print(
          { removed: ids },
          () => `Deleted ${ids.length === 1 ? 'it' : `${ids.length} questions`}.`,
        );
      }),
    );
}

/** Writes the answer of a single model as it comes, where a person looks on; Ctrl-C cancels it. */
async function askAndWait(
  program: Program,
  engine: Pick<WorkingEngine, 'asking' | 'live'>,
  order: AskingOrder,
  signal: AbortSignal,
): Promise<AskedQuestion> {
  const stop = new AbortController();
  const { id } = await engine.asking.ask(order);
  const cancel = (): void => engine.asking.cancel(id);
  onceAborted(signal, cancel);
  const screen = program.terminal.stderr;
  const watching = (async () => {
    if (screen.isTTY !== true || order.sides.length > 1) return;
    for await (const { events } of engine.live.follow(null, stop.signal))
      for (const { event } of events)
        if (event.kind === 'answer' && event.questionId === id)
          screen.write(shownOnTerminal(event.tokens.map(({ text }) => text).join('')));
    screen.write('\n');
  })();
  try {
    return await engine.asking.endOf(id);
  } finally {
    signal.removeEventListener('abort', cancel);
    stop.abort();
    await watching;
  }
}

function orderOf(question: string, options: AskOptions): AskingOrder {
  const { model, context, line, as, temperature, topP, seed, maxTokens, after } = options;
  const wrong = (sentence: string): Failure => new Failure('usage', sentence, 2);
  if (question.trim() === '') throw wrong('The question is empty; write what is asked in quotes.');
  if (model.length === 0) throw wrong('Say who is asked with --model, for example --model embedded.');
  if (model.length > MOST_SIDES) throw wrong(`A question goes to ${MOST_SIDES} models at most.`);
  if (line.length > 0 !== (context === 'lines'))
    throw wrong('Lines of your own are given with --context lines and --line, one for each.');
  if (temperature < 0 || temperature > 5) throw wrong('The temperature goes from 0 to 5.');
  if (topP <= 0 || topP > 1) throw wrong('--top-p is above 0 and at most 1.');
  if (maxTokens > 4096) throw wrong('An answer has at most 4096 tokens.');
  const choice: AskedContextChoice = context === 'lines' ? { from: 'lines', lines: line } : { from: context };
  return {
    question: question.trim(),
    sides: model.map((subject) => ({
      subject,
      frame:
        as ?? (/@(?:\d+|last)$/.test(subject) || /^(?:model:)?embedded/.test(subject) ? 'assistant' : 'none'),
      context: choice,
    })),
    settings: { temperature, topP, seed, maxNewTokens: maxTokens },
    after: after ?? null,
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(1).padStart(5)} %`;

const headText = ({ id, askedAt, question, answers }: AskedQuestion): string =>
  `${id}  ${askedAt.slice(0, 16).replace('T', ' ')}  ${answers.map(({ subject }) => subject.label).join(' | ')}  ${JSON.stringify(question.slice(0, 80))}`;

function answerText({
  subject,
  context,
  finish,
  text,
  newTokens,
  milliseconds,
  problem,
}: AskedAnswer): string {
  const under =
    context === null
      ? 'without a context'
      : context.runId === null
        ? 'under lines of your own'
        : `under the context of step ${context.step}`;
  const end = finish === 'stop' ? '' : `, ${finish}`;
  return [
    `${subject.label}, ${under} (${newTokens} tokens in ${(milliseconds / 1000).toFixed(2)} s${end}):`,
    ...(text === '' ? [] : [text]),
    ...(problem === null ? [] : [problem]),
  ].join('\n');
}

function contextOption(text: string): AskOptions['context'] {
  if (text !== 'none' && text !== 'run' && text !== 'lines')
    throw new InvalidArgumentError('It must be none, run or lines.');
  return text;
}

function frameOption(text: string): AskedFrame {
  const found = ASKED_FRAMES.find((frame) => frame === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${ASKED_FRAMES.join(', ')}.`);
  return found;
}

function numberOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}
