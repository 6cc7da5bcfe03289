import type { RzeroConfig, TaskRecord, Verdict } from '../../../../contract/index.ts';
import { groupNormalized, repetitionClusters, rolloutSeed } from '../../../../core/index.ts';
import type { Rollout } from '../../../../processes/index.ts';
import type { RolloutRequest, ScoredRollout, Stage } from '../../../loop/framework.ts';
import type { StepContext } from '../../../loop/run-state.ts';
import { parseQuestion, type ParsedQuestion } from '../parsing.ts';
import { challengePrompt, isExample } from '../prompts.ts';
import { questionMeasures, voteMeasures } from '../measures.ts';
import { itemsOfBroken, itemsOfVote, meanOf, voteStatistics } from '../review.ts';
import { challengeReward } from '../rewards.ts';
import { ORIGIN, questionOf, type RzeroState } from '../state.ts';
import { castVotes, incomparable, type RzeroRun, type Vote } from '../voting.ts';

export type QuestionFound = {
  /** The task that a question became; null where the text is none. */
  task: TaskRecord | null;
  /** What its author says the answer is. */
  claimed: string | null;
};

export type ScoredQuestion = ScoredRollout<null, QuestionFound>;

/** The request for a question at place `index` of a batch. */
export function questionRequest(
  run: RzeroRun,
  pack: Parameters<typeof challengePrompt>[0],
  batch: string,
  index: number,
  group: string | null,
): RolloutRequest<null> {
  return {
    id: `${run.step}/${batch}/${index}`,
    batch,
    index,
    purpose: 'propose',
    role: 'proposer',
    taskType: 'question',
    taskId: null,
    prompt: challengePrompt(pack, run.context.text),
    seed: rolloutSeed(run.config.seed, run.step, batch, index),
    attempt: 1,
    group,
    detail: null,
  };
}

/** Reads a challenger's text; what it asks becomes a task, unless it is the example that it was shown. */
export function scoreQuestion(
  run: RzeroRun,
  { pack }: Pick<StepContext, 'pack'>,
  request: RolloutRequest<null>,
  rollout: Rollout,
  origin: string,
): ScoredQuestion {
  const read = parseQuestion(rollout.text, rollout.finish === 'length', run.config.framework.parser);
  const parsed: ParsedQuestion =
    read.ok && isExample(pack, read.question) ? { ok: false, cause: 'copied-example' } : read;
  const answer = parsed.ok ? parsed.question : null;
  const response = { plan: null, planSource: null, thought: null, answer, formatOk: parsed.ok };
  const { id, index, attempt } = request;
  const task: TaskRecord | null = parsed.ok
    ? {
        id: `t${run.step}/${origin}/${index}${attempt === 1 ? '' : '/r1'}`,
        taskType: 'question',
        step: run.step,
        origin,
        rolloutId: id,
        program: '',
        inputs: [],
        outputs: [],
        message: parsed.question,
        imports: [],
        solveRate: null,
      }
    : null;
  const verdict: Verdict = parsed.ok
    ? { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: null }
    : { outcome: 'invalid', reason: parsed.cause, accuracy: 0, sandboxLevel: null };
  const found = { task, claimed: parsed.ok ? parsed.claimed : null };
  return { request, rollout, response, verdict, taskId: task?.id ?? null, found };
}

type ChallengeValues = {
  /** By the id of the request. */
  votes: ReadonlyMap<string, Vote>;
  /** Share of the batch in the cluster of each response, in their order. */
  clusterShares: readonly number[];
  clusters: number;
  /** Pairs of answers that nobody could compare in time. */
  timeouts: number;
  /** These, and those over which the comparing process died. */
  incomparable: number;
};

/**
 * C: the challenger asks, the solver as it is answers each question several times, and what is paid is how split these answers are, less what
 * the question repeats of the batch.
 */
export const challengeStage = (
  challenger: string,
  solver: string,
): Stage<RzeroConfig, RzeroState, null, QuestionFound, ChallengeValues> => ({
  name: 'challenge',
  generates: challenger,
  trains: challenger,

  batchSizes: ({ framework: { challenge, vote } }) => [
    {
      batch: 'challenge',
      purpose: 'propose',
      role: 'proposer',
      taskType: 'question',
      size: challenge.prompts * challenge.samples,
      measurements: vote.samples,
    },
  ],

  requests(run, { pack }) {
    const { prompts, samples } = run.config.framework.challenge;
    return Array.from({ length: prompts * samples }, (_, index) =>
      questionRequest(run, pack, 'challenge', index, `${run.step}/challenge/g${Math.floor(index / samples)}`),
    );
  },

  // All its prompts are one, so there is none to take in its place.
  resample: (_run, _draw, request) => request,

  score: async (run, env, request, rollout) => scoreQuestion(run, env, request, rollout, ORIGIN.asked),

  async measure(run, env, scored, offer) {
    const { framework } = run.config;
    const texts = scored.map(({ found: { task } }) => (task === null ? '' : questionOf(task)));
    const { cluster, sizes } = await repetitionClusters(texts, {
      cut: framework.repetition.cut,
      signal: env.signal,
    });
    const clusterShares = cluster.map((of) => (sizes[of] as number) / texts.length);
    const setAside = incomparable(env);
    const byTask = new Map(scored.map((one, place) => [one.found.task?.id, { one, place }]));
    for (const one of scored) if (one.found.task === null) offer(itemsOfBroken(one));
    const votes = await castVotes(run, env, {
      role: solver,
      settings: framework.vote,
      ballots: scored.flatMap(({ request: { batch, index }, found: { task } }) =>
        task === null ? [] : [{ task, batch, index }],
      ),
      onVote: (vote) => {
        const entry = byTask.get(vote.ballot.task.id);
        if (entry !== undefined) offer(itemsOfVote(entry.one, vote, clusterShares[entry.place] as number));
      },
    });
    const voteOf = new Map(votes.map((vote) => [vote.ballot.task.rolloutId ?? '', vote]));
    return {
      records: votes.flatMap(({ samples }) => samples.map(({ record }) => record)),
      values: {
        votes: voteOf,
        clusterShares,
        clusters: sizes.length,
        ...setAside(),
      },
    };
  },

  rewards: ({ config: { framework } }, scored, { votes, clusterShares }) =>
    scored.map(({ request: { id }, found: { task } }, place) => {
      const vote = votes.get(id);
      return challengeReward(
        {
          isQuestion: task !== null,
          agreement: vote?.agreement ?? null,
          abstained: vote?.abstained ?? 0,
          clusterShare: clusterShares[place] as number,
        },
        framework,
      );
    }),

  advantages: ({ framework: { advantages, deviationFloor, challengeBaseline } }) =>
    groupNormalized({
      floor: advantages === 'floored' ? deviationFloor : 0,
      scope: challengeBaseline,
    }),

  // Offered with the votes: before all answers are counted nobody knows what feedback may not say.
  reviewItems: () => [],

  statistics: (_config, batch, { votes, clusterShares, clusters, timeouts }) =>
    voteStatistics(
      batch.flatMap(({ request: { id } }) => votes.get(id) ?? []),
      {
        n: batch.length,
        invalid: batch.filter(({ found: { task } }) => task === null).length,
        formatFailures: batch.filter(({ response: { formatOk } }) => !formatOk).length,
        timeouts,
      },
      { clusters, biggestCluster: Math.max(0, ...clusterShares) },
    ),

  tasks: (_requests, scored, { votes }) =>
    scored.flatMap(({ request: { id }, found: { task } }) => {
      const vote = votes.get(id);
      return task === null
        ? []
        : [
            {
              ...task,
              outputs: vote?.majority == null ? [] : [vote.majority],
              solveRate: vote?.agreement ?? null,
            },
          ];
    }),

  metrics(_run, { tasks, values: { votes, clusterShares, clusters, incomparable: pairs } }) {
    const counted = [...votes.values()];
    const rates = counted.flatMap(({ agreement }) => agreement ?? []);
    return {
      'challenge/questions': tasks.length,
      'challenge/agreement': meanOf(rates),
      'challenge/uncertainty': meanOf(rates.map((rate) => Math.min(rate, 1 - rate))),
      'challenge/unanswered': counted.length - rates.length,
      'challenge/incomparable': pairs,
      'challenge/clusters': clusters,
      'challenge/biggest_cluster': Math.max(0, ...clusterShares),
      ...voteMeasures('challenge', counted),
      ...questionMeasures('challenge', tasks.map(questionOf)),
    };
  },
});
