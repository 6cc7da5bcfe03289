import type {
  EvaluationSummary,
  GradedItem,
  ItemGrade,
  ItemOutcome,
  ItemOverride,
  EvaluationScore,
  EvaluationState,
} from '../../contract/index.ts';

/** One answer with what a person said of its verdict; null when nobody did. */
export type ExportedItem = { item: GradedItem; override: ItemOverride | null };

/**
 * An evaluation as a log of Inspect (inspect_ai, log format 2, JSON), piece by piece, one answer in memory at a time: pass it to a
 * `pipeline` with a Writable, or to an atomic writer. A sample stands on a line of its own.
 * @param items in the evaluation's order. @param version of this program, for the record.
 */
export function* inspectLog(
  evaluation: EvaluationSummary,
  items: Iterable<ExportedItem>,
  version: string,
): Generator<string> {
  const header = wellFormedJson(inspectHeader(evaluation, version));
  yield `${header.slice(0, -1)},"samples":[`;
  let between = '\n';
  for (const item of items) {
    yield between + wellFormedJson(inspectSample(evaluation, item));
    between = ',\n';
  }
  yield '\n]}\n';
}

/**
 * The name Inspect gives such a log, and by which its viewer finds it in a folder: the time it began, the suite and the evaluation's id,
 * with nothing that a file system minds.
 */
export function inspectFileName({ createdAt, id, plan }: EvaluationSummary): string {
  const began = new Date(createdAt).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${began}+00-00_${plan.suite.replaceAll(/[^A-Za-z0-9.-]+/g, '-')}_${id.replaceAll(/[^A-Za-z0-9]+/g, '')}.json`;
}

/** Inspect's letters. An unjudged answer has none: it gets no score at all, so that nothing averages over it. */
const LETTER = { passed: 'C', failed: 'I', unanswered: 'N' } as const satisfies Record<
  Exclude<ItemOutcome, 'unjudged'>,
  string
>;

/** One answer as a sample; several answers to an item are its epochs. */
function inspectSample(
  { id, plan }: EvaluationSummary,
  { item, override }: ExportedItem,
): Record<string, unknown> {
  const { ordinal, itemId, sample, asked, target, text, newTokens, grade } = item;
  const answer = { role: 'assistant', content: text, source: 'generate', model: plan.subject.id };
  const scores = scoresOf(grade, override);
  return {
    id: itemId,
    epoch: sample + 1,
    input: asked.length === 0 ? '' : asked.map((message) => ({ ...message, source: 'input' })),
    target: target ?? '',
    messages: [...asked.map((message) => ({ ...message, source: 'input' })), answer],
    output: { model: plan.subject.id, choices: [{ message: answer, stop_reason: 'unknown' }] },
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    metadata: { ordinal, outcome: grade.outcome, newTokens, grade, override },
    uuid: `${id}/${ordinal}`,
  };
}

function scoresOf(grade: ItemGrade, override: ItemOverride | null): Record<string, unknown> {
  const { outcome, score, method, reason, flags, judge, details } = grade;
  const extracted = typeof details['extracted'] === 'string' ? { answer: details['extracted'] } : {};
  const graded =
    outcome === 'unjudged'
      ? null
      : {
          value: LETTER[outcome],
          ...extracted,
          explanation: reason,
          ...(outcome === 'unanswered' ? { reason: 'no_response' } : {}),
          metadata: { method, flags, judge },
        };
  const verdict = override === null ? graded : overridden(graded, override);
  return {
    ...(verdict === null ? {} : { [VERDICT]: verdict }),
    ...(score === null ? {} : { [NUMBER]: { value: score, metadata: { judge } } }),
  };
}

/** As Inspect keeps an edited score: the value is the person's, the history begins with the grader's. */
function overridden(
  graded: Record<string, unknown> | null,
  { outcome, by, note, at }: ItemOverride,
): Record<string, unknown> {
  const value = LETTER[outcome];
  const edit = { value, provenance: { timestamp: at, author: by, reason: note } };
  return graded === null ? { value, history: [edit] } : { ...graded, value, history: [graded, edit] };
}

const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/gs;

/**
 * JSON text on one line that every reader takes. Text cut in the middle of a character holds half a surrogate pair, which JSON can
 * carry as an escape but UTF-8 cannot: strict parsers refuse the whole file over it. Each becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Whole pairs are written as they are, so an escaped surrogate is always half of one. Escapes are read in order, for "\\ud800" is a backslash.
  return json.includes('\\ud')
    ? json.replace(ESCAPE, (escape) => (/^\\ud[89a-f]/.test(escape) ? '\\ufffd' : escape))
    : json;
}

/** Version of Inspect's log format. */
const LOG_VERSION = 2;

/** Names of our two scorers: the verdict, and a suite's own number beside it (1 to 5, say). */
const VERDICT = 'verdict';
const NUMBER = 'score';

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
function inspectHeader(evaluation: EvaluationSummary, version: string): Record<string, unknown> {
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
}: EvaluationSummary): Record<string, unknown> {
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
}: EvaluationSummary): Record<string, unknown> {
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
