import {
  batchSpec,
  PHASES,
  type Phase,
  type ReviewRecord,
  type RolloutRecord,
  type SummaryRecord,
  type TaskRecord,
} from '../../contract/index.ts';

/** Phase names of the exports: the paper's, where the exec phase is called execution_result. */
export type ExportedPhase = Exclude<Phase, 'exec'> | 'execution_result';
const exportedPhase = (phase: Phase): ExportedPhase => (phase === 'exec' ? 'execution_result' : phase);

/** One entry of a step file (ANCHOR A.3); the fields after `decision` are ours. */
export type ExportedRecord = {
  id: string;
  timestamp: string;
  source: 'agent' | 'supervisor';
  phase: ExportedPhase;
  content: string;
  decision: 'continue' | 'retry' | null;
  step: number;
  /** Of a framework of several stages: where the step stands in its schedule. */
  iteration?: number;
  stage?: string;
  stage_step?: number;
  global_step?: number;
  batch: string;
  rollout: string | null;
  /** Supervisor entries only. */
  review?: {
    status: ReviewRecord['status'];
    issues: string[];
    reviewer: string;
    model: string | null;
    gate_p: number;
    latency_ms: number;
    tokens_in: number;
    tokens_out: number;
    leak_flags: string[];
    /** The place of the material that the content is about; absent where none was named. */
    quote?: string;
  };
};

/** What one rollout left at each phase, then what was said about it. `at` is when the response was complete. */
export function recordsOfRollout(
  rollout: RolloutRecord,
  task: TaskRecord | null,
  reviews: readonly ReviewRecord[],
  at: string,
): ExportedRecord[] {
  const entry = (phase: ExportedPhase, content: string | null): ExportedRecord[] =>
    content === null || content === ''
      ? []
      : [
          {
            id: `${rollout.id}#${phase}#agent`,
            timestamp: at,
            source: 'agent',
            phase,
            content,
            decision: null,
            step: rollout.step,
            batch: rollout.batch,
            rollout: rollout.id,
          },
        ];
  const proposal = rollout.purpose === 'propose';
  const given = task === null ? null : taskText(task);
  return [
    ...entry('task', proposal ? rollout.answer : given),
    ...entry('plan', rollout.plan),
    ...entry('thought', rollout.thought),
    ...entry('output', proposal ? null : rollout.answer),
    // The verifier's result as the paper's scripts read it: 1 when it passed.
    ...entry('execution_result', rollout.verdict.outcome === 'passed' ? '1' : '0'),
    ...[...reviews].sort((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase)).map(supervisorEntry),
  ];
}

/** Tasks are exported with everything verification uses; nothing of this goes to a reviewer. */
const taskText = (task: TaskRecord): string =>
  JSON.stringify({
    program: task.program,
    inputs: task.inputs,
    outputs: task.outputs,
    message: task.message,
  });

export function supervisorEntry(review: ReviewRecord): ExportedRecord {
  return {
    id: review.id,
    timestamp: review.createdAt,
    source: 'supervisor',
    phase: exportedPhase(review.phase),
    content: review.feedback,
    decision: review.decision,
    step: review.step,
    batch: review.batch,
    rollout: review.rolloutId,
    review: {
      status: review.status,
      issues: review.issues,
      reviewer: review.reviewer,
      model: review.model,
      gate_p: review.gateProbability,
      latency_ms: review.milliseconds,
      tokens_in: review.tokensIn,
      tokens_out: review.tokensOut,
      leak_flags: review.leaks,
      ...(review.quote === undefined ? {} : { quote: review.quote }),
    },
  };
}

export type EvaluationSummary = {
  evaluation_summary: Pick<SummaryRecord, 'scope' | 'reviewed' | 'eligible' | 'points' | 'text'>;
};

/** The closing entry of a step file; there is one only when something of the batch was reviewed. */
export function evaluationSummary(summary: SummaryRecord | undefined): EvaluationSummary[] {
  if (summary === undefined || summary.reviewed === 0) return [];
  const { scope, reviewed, eligible, points, text } = summary;
  return [{ evaluation_summary: { scope, reviewed, eligible, points, text } }];
}

export type BatchSummaryEvent = {
  id: string;
  timestamp: string;
  source: 'supervisor';
  phase: string;
  content: string;
  decision: null;
  step: number;
  points: SummaryRecord['points'];
};

/** One `batch_summary_<heading>` entry per heading of which something was reviewed. */
export function batchSummaries(
  step: number,
  summaries: readonly SummaryRecord[],
  at: string,
): BatchSummaryEvent[] {
  const byHeading = Map.groupBy(
    summaries.filter(({ reviewed }) => reviewed > 0),
    ({ batch }) => batchSpec(batch).heading,
  );
  return [...byHeading.keys()].sort().map((heading) => {
    const own = byHeading.get(heading) as SummaryRecord[];
    return {
      id: `${step}/batch_summary_${heading}`,
      timestamp: at,
      source: 'supervisor',
      phase: `batch_summary_${heading}`,
      content: own.map(({ text }) => text).join('\n'),
      decision: null,
      step,
      points: own.flatMap(({ points }) => points),
    };
  });
}

/** Rollouts in the order of the step file: by index, those that are the agent's work and the measurements that were reviewed. */
export function trainedOf(
  rollouts: readonly RolloutRecord[],
  batch: string,
  reviewed: ReadonlySet<string | null> = new Set(),
): RolloutRecord[] {
  return rollouts
    .filter(
      (rollout) => rollout.batch === batch && (rollout.purpose !== 'estimate' || reviewed.has(rollout.id)),
    )
    .sort((a, b) => a.index - b.index || (a.sample ?? -1) - (b.sample ?? -1));
}
