import {
  FORMAT_CAUSES,
  formatMetric,
  isRated,
  OTHER_CAUSE,
  READABLE,
  samplesApart,
  type CodeTasksConfig,
  type FormatCause,
  type FrameworkConfig,
  type RolloutRecord,
  type RunConfig,
} from '../../contract/index.ts';
import { reasonSentence } from './checking/reasons.ts';
import { readResponse, type ReaderSettings } from './reader.ts';

/** Fewer usable answers than this share make a first batch useless. */
const USABLE_SHARE = 0.05;
/** Below this many answers a share says too little. */
const FEWEST = 10;
const EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 200;
const CAUSES_NAMED = 4;

const ofCodeTasks = (rollouts: readonly RolloutRecord[]): RolloutRecord[] =>
  rollouts.filter(({ taskType, reward }) => !isRated(taskType) && reward !== null);

/** Why the format of a response is broken; null where it is kept. */
function causeOf(
  reading: ReaderSettings,
  { formatOk, verdict, text, finish }: RolloutRecord,
): FormatCause | null {
  if (formatOk) return null;
  const named = FORMAT_CAUSES.find((cause) => cause === verdict.reason);
  return named ?? readResponse(reading, text, finish === 'length', null).cause;
}

/** Counts of the trained answers that can be read, `format/readable`, and of those that cannot by cause, `format/<cause>`. */
export function formatMetrics(
  reading: ReaderSettings,
  trained: readonly RolloutRecord[],
): Record<string, number> {
  const rollouts = ofCodeTasks(trained);
  if (rollouts.length === 0) return {};
  const metrics: Record<string, number> = { [formatMetric(READABLE)]: 0 };
  for (const rollout of rollouts) {
    const name = formatMetric(rollout.formatOk ? READABLE : (causeOf(reading, rollout) ?? OTHER_CAUSE));
    metrics[name] = (metrics[name] ?? 0) + 1;
  }
  return metrics;
}

/**
 * What to tell the person whose model is not understood, a line for each thing: null unless hardly any answer of a batch was usable.
 * Such a run learns nothing, since all its answers are paid alike.
 */
export function uselessBatch(config: RunConfig, rollouts: readonly RolloutRecord[]): string | null {
  const answers = ofCodeTasks(rollouts);
  const usable = answers.filter(({ verdict }) => verdict.outcome !== 'invalid');
  if (answers.length < FEWEST || usable.length >= USABLE_SHARE * answers.length) return null;
  const unusable = answers.filter(({ verdict }) => verdict.outcome === 'invalid');
  const refused = unusable.map((answer) => ({
    text: answer.text,
    reason: reasonOf(config.framework, answer),
  }));
  return [
    `Only ${usable.length} of ${answers.length} answers of step 1 were usable, so nothing can be learned from them.`,
    ...reasonsAndExamples(refused),
    `What to change in a new run: ${advice(config, mostFrequent(refused)[0]?.reason, answers).join('; ')}.`,
  ].join('\n');
}

/** A text that could not be used, and why. */
export type Refused = { text: string; reason: string };

function mostFrequent(refused: readonly Refused[]): { reason: string; of: Refused[] }[] {
  return [...Map.groupBy(refused, ({ reason }) => reason)]
    .map(([reason, of]) => ({ reason, of }))
    .toSorted((a, b) => b.of.length - a.of.length);
}

/** The likeliest reasons with their counts, and a text for each of the first: two sentences. */
export function reasonsAndExamples(refused: readonly Refused[]): [string, string] {
  const reasons = mostFrequent(refused);
  const counts = reasons
    .slice(0, CAUSES_NAMED)
    .map(({ reason, of }) => `${of.length} × ${reasonSentence(reason)}`);
  const examples = reasons
    .slice(0, EXAMPLES)
    .map(({ reason, of }) => `(${reason}) “${shortened(of[0]?.text ?? '')}”`);
  return [`Reasons: ${counts.join(' ')}`, `Examples: ${examples.join(' ')}`];
}

function reasonOf(framework: FrameworkConfig, answer: RolloutRecord): string {
  return causeOf(framework as CodeTasksConfig, answer) ?? answer.verdict.reason ?? 'bad-format';
}

/** The settings that such a batch depends on, with their present values; the likeliest first. */
function advice(
  { generation, policy, framework }: RunConfig,
  reason: string | undefined,
  answers: readonly RolloutRecord[],
): string[] {
  const reader = 'reader' in framework ? framework.reader : undefined;
  const cut = answers.filter(({ finish }) => finish === 'length').length;
  const length = `generation.maxNewTokens, now ${generation.maxNewTokens} (${cut} answers were cut off there)`;
  const others = [
    `generation.temperature, now ${generation.temperature}, and generation.topP, now ${generation.topP}${samplesApart(generation) ? ', or those of generation.roles' : ''}`,
    ...(reader === 'lenient'
      ? []
      : [`framework.reader, now ${reader ?? 'that of the validator'} (lenient reads answers without tags)`]),
    `policy.promptPack, now ${policy.promptPack}`,
    ...('references' in framework ? ['framework.seeds, which the proposer sees as references'] : []),
  ];
  return reason === 'cut-off' ? [length, ...others] : [...others, length];
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= EXAMPLE_CHARACTERS ? line : `${line.slice(0, EXAMPLE_CHARACTERS)}…`;
}
