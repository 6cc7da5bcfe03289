import type {
  RolloutRecord,
  RoleSampling,
  RzeroConfig,
  TaskRecord,
  Verdict,
} from '../../../contract/index.ts';
import { samplingOf } from '../../../contract/index.ts';
import { answerClasses, rolloutSeed } from '../../../core/index.ts';
import type { Rollout } from '../../../processes/index.ts';
import { generateItem, promptItem, wholeRollout, type Prompt } from '../../loop/framework.ts';
import type { RoleName, RunState, StepContext } from '../../loop/run-state.ts';
import { rolloutRecord } from '../../loop/rollout-records.ts';
import { parseSolution, type ParsedSolution } from './parsing.ts';
import { solvePrompt } from './prompts.ts';
import { questionOf, type RzeroState } from './state.ts';

export type RzeroRun = RunState<RzeroConfig, RzeroState>;

/** A question that is voted on, at a place of a batch. */
export type Ballot = { task: TaskRecord; batch: string; index: number };

/** What the solver's answers to one question say. */
export type Vote = {
  ballot: Ballot;
  /** In the order of their numbers; empty for a question that fits into no prompt. */
  samples: { parsed: ParsedSolution; record: RolloutRecord }[];
  /** Share of the answers in the biggest class; null without an answer. */
  agreement: number | null;
  /** The answer that stands first in the biggest class. */
  majority: string | null;
  /** Share of the samples without an answer; 1 for a question that nobody could be asked. */
  abstained: number;
};

type Settings = RzeroConfig['vote'] | RzeroConfig['label'];

/** How votes are sampled: by their own settings, and where these say nothing as the run samples its estimators. */
export function voteSampling(
  run: RzeroRun,
  { temperature, topP, topK }: Settings,
): RoleSampling & { topK: number } {
  const usual = samplingOf(run.config.generation, 'estimator');
  return { temperature: temperature ?? usual.temperature, topP: topP ?? usual.topP, topK };
}

/** Whether two answers are the same, as the run's settings have it. */
export const sameAnswer =
  ({ answers }: Pick<StepContext, 'answers'>, { equality }: Pick<RzeroConfig, 'equality'>) =>
  async (one: string, other: string): Promise<boolean> =>
    one === other ||
    (equality === 'rzero-compat' && one.includes('no ') && other.includes('no ')) ||
    answers.same(one, other);

/** Counts of the pairs of answers that nobody could compare, because time ran out or the comparing process died over them. */
export const incomparable = ({ answers: { setAside } }: Pick<StepContext, 'answers'>) => {
  const { timeouts, lost } = setAside;
  /** Since then. */
  return (): { timeouts: number; incomparable: number } => ({
    timeouts: setAside.timeouts - timeouts,
    incomparable: setAside.timeouts - timeouts + setAside.lost - lost,
  });
};

/** A text without a box, as a class of the original's vote. */
const NONE = 'None';

/**
 * Asks the weights of `role` for answers to each question, under the context of the step, and counts which agree. A question is graded as
 * soon as its last answer is there, while others are still being written. Nothing is trained on these answers.
 */
export async function castVotes(
  run: RzeroRun,
  env: StepContext,
  {
    role,
    ballots,
    settings,
    onVote = () => {},
  }: { role: RoleName; ballots: readonly Ballot[]; settings: Settings; onVote?: (vote: Vote) => void },
): Promise<Vote[]> {
  const { generation, seed } = run.config;
  const weights = env.weights(role);
  const prompts = ballots.map(({ task }) => solvePrompt(env.pack, questionOf(task), run.context.text));
  const tokens = await weights.countTokens(prompts.map(promptItem));
  const fitting = ballots.flatMap((ballot, place) =>
    (tokens[place] ?? 0) <= generation.maxPromptTokens ? [{ ballot, prompt: prompts[place] as Prompt }] : [],
  );
  const byKey = new Map(
    fitting.map((entry) => [entry.ballot.task.id, { ...entry, rollouts: [] as Rollout[] }]),
  );
  const votes = new Map<string, Promise<Vote>>();
  let counted = 0;
  await weights.generate(
    `s${run.step}/estimate`,
    fitting.map(({ ballot: { task, batch, index }, prompt }) => ({
      key: task.id,
      ...generateItem(prompt),
      n: settings.samples,
      seed: rolloutSeed(seed, run.step, batch, index, 'estimate'),
    })),
    { ...voteSampling(run, settings), maxNewTokens: generation.maxNewTokens },
    env.signal,
    (rollout) => {
      const entry = byKey.get(rollout.key);
      if (entry === undefined) return;
      entry.rollouts.push(wholeRollout(entry.prompt, rollout));
      if (entry.rollouts.length < settings.samples) return;
      const vote = countVote(run, env, entry.ballot, entry.prompt, entry.rollouts).then((one) => {
        counted += 1;
        env.onProgress('estimate', counted, fitting.length);
        onVote(one);
        return one;
      });
      vote.catch(() => {}); // the failure is thrown below, where all are awaited
      votes.set(rollout.key, vote);
    },
  );
  return Promise.all(
    ballots.map((ballot): Promise<Vote> | Vote => {
      if (!byKey.has(ballot.task.id))
        return { ballot, samples: [], agreement: null, majority: null, abstained: 1 };
      return (
        votes.get(ballot.task.id) ??
        Promise.reject(new Error(`Not all answers to ${ballot.task.id} came back.`))
      );
    }),
  );
}

async function countVote(
  run: RzeroRun,
  env: StepContext,
  ballot: Ballot,
  { user }: Prompt,
  rollouts: readonly Rollout[],
): Promise<Vote> {
  const { framework } = run.config;
  const ordered = rollouts.toSorted((a, b) => a.index - b.index);
  const parsed = ordered.map(({ text }) => parseSolution(text));
  const isOutside = framework.abstentions === 'outside';
  const answers = parsed.map(({ answer }) => answer ?? (isOutside ? null : NONE));
  const { classes, abstained, majority, agreement } = await answerClasses(
    answers,
    sameAnswer(env, framework),
  );
  const biggest = classes.reduce<number[]>((most, one) => (one.length > most.length ? one : most), []);
  const agreeing = new Set(biggest);
  const samples = ordered.map((rollout, sample) => {
    const { plan, thought, answer } = parsed[sample] as ParsedSolution;
    const verdict = verdictOf(agreeing.has(sample), answer);
    const identity = {
      id: `${run.step}/${ballot.batch}/${ballot.index}/${sample}`,
      batch: ballot.batch,
      index: ballot.index,
      sample,
      purpose: 'estimate',
      role: 'solver',
      taskType: 'question' as const,
      taskId: ballot.task.id,
      user,
    };
    const response = { plan, planSource: null, thought, answer, formatOk: answer !== null };
    return {
      parsed: parsed[sample] as ParsedSolution,
      record: rolloutRecord(run, identity, { rollout, response, verdict }),
    };
  });
  return {
    ballot,
    samples,
    agreement,
    majority: majority === NONE && !isOutside ? null : majority,
    abstained: abstained.length / ordered.length,
  };
}

/** What agreeing says of an answer; nobody knows which is right. */
export const verdictOf = (agrees: boolean, answer: string | null): Verdict => ({
  outcome: agrees ? 'passed' : answer === null ? 'invalid' : 'failed',
  reason: agrees ? null : answer === null ? 'no-answer' : 'other-answer',
  accuracy: Number(agrees),
  sandboxLevel: null,
});
