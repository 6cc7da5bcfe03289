import type { EvaluationScore, EvaluationState } from '../../../contract/index.ts';
import type { ExportedEvaluation } from '../items-csv.ts';

/** Version of Inspect's log format. */
const LOG_VERSION = 2;

/** Names of our two scorers: the verdict, and a suite's own number beside it (1 to 5, say). */
export const VERDICT = 'verdict';
export const NUMBER = 'score';

const STATUS = {
  running: 'started',
  stopped: 'cancelled',
  failed: 'error',
  done: 'success',
} as const satisfies Record<EvaluationState, string>;

/**
 * Everything of a log but its samples, in the order in which Inspect reads a header: what stands after the samples it would have to
 * read them all for. What Inspect has no place for is in the metadata.
 * @param version of this program.
 */
export function inspectHeader(evaluation: ExportedEvaluation, version: string): Record<string, unknown> {
  const { id, createdAt, finishedAt, state, problem, plan } = evaluation;
  const { subject, protocol, source, judge } = plan;
  const generating = {
    temperature: protocol.temperature,
    top_p: protocol.topP,
    max_tokens: protocol.maxNewTokens,
    seed: plan.seed,
  };
  return {
    version: LOG_VERSION,
    status: STATUS[state],
    eval: {
      eval_id: id,
      run_id: id,
      created: createdAt,
      task: plan.suite,
      task_id: `${plan.suite}-${source.sha256.slice(0, 12)}`,
      task_version: plan.suiteVersion,
      task_args: {
        protocol: protocol.name,
        ...(plan.limit === null ? {} : { limit: plan.limit }),
        ...(plan.context === null ? {} : { context: plan.context.hash }),
      },
      tags: [plan.group],
      dataset: { name: source.dataset ?? plan.suite, samples: plan.items, shuffled: false },
      model: subject.id,
      model_generate_config: generating,
      model_args: {
        name: subject.model,
        format: subject.format,
        sha256: subject.sha256,
        run: subject.runId,
        step: subject.step,
      },
      ...(judge === null
        ? {}
        : {
            model_roles: {
              grader: {
                model: judge.name,
                args: { kind: judge.kind, sha256: judge.sha256, promptVersion: judge.promptVersion },
              },
            },
          }),
      config: {
        epochs: protocol.samples,
        ...(protocol.samples > 1 ? { epochs_reducer: ['mean'] } : {}),
        ...(plan.limit === null ? {} : { limit: plan.limit }),
        log_samples: true,
      },
      packages: { 'anchor-lab': version },
      metadata: metadataOf(evaluation),
      scorers: [{ name: VERDICT }, { name: NUMBER }],
    },
    plan: { name: 'plan', steps: [{ solver: 'generate', params: protocol }], config: generating },
    results: resultsOf(evaluation),
    stats: { started_at: createdAt, completed_at: finishedAt ?? '', model_usage: {} },
    ...(state === 'failed'
      ? { error: { message: problem ?? 'The evaluation failed.', traceback: '', traceback_ansi: '' } }
      : {}),
  };
}

function metadataOf({
  form,
  state,
  problem,
  plan,
  weightsSha256,
  planned,
  graded,
  counts,
  milliseconds,
  scores,
  corrected,
}: ExportedEvaluation): Record<string, unknown> {
  const { subject, group, source, protocol, context, judge, seed, limit, grader } = plan;
  return {
    anchor_lab: {
      form,
      state,
      problem,
      subject,
      group,
      source,
      protocol,
      context,
      judge,
      seed,
      limit,
      grader,
      weightsSha256,
      planned,
      graded,
      counts,
      milliseconds,
      scores,
      corrected,
    },
  };
}

/**
 * Where a person corrected verdicts the metrics are the corrected ones, as Inspect has it after an edit of scores; those as graded are
 * in the metadata.
 */
function resultsOf({
  planned,
  graded,
  counts,
  scores,
  corrected,
}: ExportedEvaluation): Record<string, unknown> {
  const shown = corrected ?? scores;
  const [first] = shown;
  const metricsOf = (name: string): EvaluationScore[] =>
    shown.filter(({ value }) => value !== null).filter((score) => scorerOf(score) === name);
  const scorer = (name: string): Record<string, unknown> => ({
    name,
    scorer: name,
    params: {},
    ...(name === VERDICT
      ? { scored_samples: graded - counts.unjudged, unscored_samples: counts.unjudged }
      : {}),
    metrics: Object.fromEntries(metricsOf(name).map((score) => [score.name, metricOf(score)])),
  });
  return {
    total_samples: planned,
    completed_samples: graded,
    scores: [VERDICT, NUMBER].filter((name) => name === VERDICT || metricsOf(name).length > 0).map(scorer),
    ...(first === undefined || first.value === null
      ? {}
      : { headline: { scorer: scorerOf(first), metric: first.name } }),
    metadata: {
      without_value: shown.filter(({ value }) => value === null).map(({ name }) => name),
      ...(corrected === null ? {} : { as_graded: scores }),
    },
  };
}

/** A mean on the suite's own scale is of its numbers; everything else is of verdicts. */
const scorerOf = ({ unit }: EvaluationScore): string => (unit === 'scale' ? NUMBER : VERDICT);

function metricOf({
  name,
  value,
  low,
  high,
  unit,
  n,
  better,
  interval,
}: EvaluationScore): Record<string, unknown> {
  return {
    name,
    value,
    params: {},
    metadata: { low, high, level: low === null ? null : 0.95, unit, n, better, interval },
  };
}
