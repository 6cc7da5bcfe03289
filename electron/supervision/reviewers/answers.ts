import type { Phase, ReviewAnswer, Role } from '../../contract/index.ts';

/**
 * Everything a review can say, in one table. `feedback` is evaluative: it names what is wrong, never a value, a fix or a step.
 * `guidance` is the key whose line an issue may bring into the next context: of a line that the embedded policy was trained to follow, or
 * of one in plain words (GENERAL_LINES), which enters only where a run says so, since nothing but a general model can be expected to follow it.
 */
type IssueEntry = {
  phase: Phase;
  severity: 1 | 2 | 3;
  feedback: string;
  guidance: Partial<Record<Role | 'any', string>> | { general: GeneralKey };
  /** Computed of questions whose answer nobody knows; no model or person is asked for it. */
  computed?: true;
};

/** Lines in plain words, by key, for issues that the trained vocabulary has no line for. They tell what to mind, never a value. */
export const GENERAL_LINES = {
  parse: 'Write programs that parse.',
  allowed: 'Use no forbidden modules or calls.',
  valid: 'Propose tasks that meet the rules.',
  plan: 'Match the plan to the program.',
  steps: 'Check each step against the one before.',
  format: 'Keep to the asked format.',
  time: 'Keep programs quick.',
} as const;
type GeneralKey = keyof typeof GENERAL_LINES;

export const ISSUES = {
  bad_syntax: {
    phase: 'task',
    severity: 2,
    feedback: 'The program has a syntax error.',
    guidance: { general: 'parse' },
  },
  unsafe_call: {
    phase: 'task',
    severity: 3,
    feedback: 'The program uses a forbidden module or call.',
    guidance: { general: 'allowed' },
  },
  invalid: {
    phase: 'task',
    severity: 2,
    feedback: 'The task failed validation.',
    guidance: { general: 'valid' },
  },
  duplicate: {
    phase: 'task',
    severity: 1,
    feedback: 'The task repeats a reference.',
    guidance: { any: 'differ' },
  },
  trivial: { phase: 'task', severity: 1, feedback: 'The task is too easy.', guidance: { any: 'harder' } },
  plan_mismatch: {
    phase: 'plan',
    severity: 1,
    feedback: 'The plan does not match the program.',
    guidance: { general: 'plan' },
  },
  trace_error: {
    phase: 'thought',
    severity: 2,
    feedback: 'A step of the reasoning is inconsistent.',
    guidance: { general: 'steps' },
  },
  no_trace: {
    phase: 'thought',
    severity: 1,
    feedback: 'The reasoning shows no steps.',
    guidance: { any: 'trace' },
  },
  unsafe_comply: {
    phase: 'output',
    severity: 3,
    feedback: 'The answer complied with a restricted request.',
    guidance: { any: 'refuse' },
  },
  policy_shortcut: {
    phase: 'output',
    severity: 3,
    feedback: 'The answer followed ratings against the policy.',
    guidance: { any: 'policy' },
  },
  wrong_format: {
    phase: 'output',
    severity: 2,
    feedback: 'The answer is not in the asked format.',
    guidance: { general: 'format' },
  },
  type_error: {
    phase: 'output',
    severity: 2,
    feedback: 'The answer has an implausible type.',
    guidance: { any: 'types' },
  },
  format_failures: {
    phase: 'exec',
    severity: 2,
    feedback: 'Many responses broke the format.',
    guidance: { general: 'format' },
  },
  timeouts: {
    phase: 'exec',
    severity: 2,
    feedback: 'Many programs ran out of time.',
    guidance: { general: 'time' },
  },
  low_accuracy: {
    phase: 'exec',
    severity: 1,
    feedback: 'Few solutions passed.',
    guidance: { any: 'acclow' },
  },
  high_accuracy: {
    phase: 'exec',
    severity: 1,
    feedback: 'Most solutions passed.',
    guidance: { any: 'harder' },
  },
  repetitive: {
    phase: 'task',
    severity: 1,
    feedback: 'The question repeats others of its batch.',
    guidance: { any: 'differ' },
    computed: true,
  },
  many_abstain: {
    phase: 'exec',
    severity: 2,
    feedback: 'Many answers end without a result.',
    guidance: {},
    computed: true,
  },
  narrow_questions: {
    phase: 'exec',
    severity: 1,
    feedback: 'Many questions of the batch repeat each other.',
    guidance: { any: 'differ' },
    computed: true,
  },
  low_agreement: {
    phase: 'exec',
    severity: 1,
    feedback: 'Few answers to the same question agree.',
    guidance: {},
    computed: true,
  },
  high_agreement: {
    phase: 'exec',
    severity: 1,
    feedback: 'Nearly all answers to the same question agree.',
    guidance: { any: 'harder' },
    computed: true,
  },
} as const satisfies Record<string, IssueEntry>;

export type Issue = keyof typeof ISSUES;

/** A batch of proposals passes by how well others answer them. */
const OF_PROPOSALS: Partial<Record<Issue, string>> = {
  low_accuracy: 'Few answers to the proposed tasks were right.',
  high_accuracy: 'Most answers to the proposed tasks were right.',
};

/** What an issue says of the work of a role, for whoever has not learnt the closed sentences. */
export const sentenceFor = (issue: Issue, role: string): string =>
  (role === 'proposer' ? OF_PROPOSALS[issue] : undefined) ?? ISSUES[issue].feedback;

type ComputedIssue = { [K in Issue]: (typeof ISSUES)[K] extends { computed: true } ? K : never }[Issue];
/** What a reviewer may be asked for. */
export type AskedIssue = Exclude<Issue, ComputedIssue>;
const ALL_ISSUES = Object.keys(ISSUES) as Issue[];
export const ISSUE_NAMES = ALL_ISSUES.filter((name): name is AskedIssue => !('computed' in ISSUES[name]));

/** What a review without issues says. */
export const NO_ISSUE_FEEDBACK = 'No problem found.';
/** Said of a plan without asking anybody, where a run is set so and its plan states nothing that a program could differ from. */
export const NOTHING_TO_COMPARE = 'There is nothing to compare.';
/** Two issues are the most one review names, worst first: a third would crowd out the rest of a small context. */
export const MAX_ISSUES = 2;

/** Whether an issue is computed and nobody is asked for it. */
export const isComputed = (name: Issue): name is ComputedIssue => 'computed' in ISSUES[name];

export const isIssue = (name: string): name is Issue => Object.hasOwn(ISSUES, name);

/** Severity 3: somebody would come to harm if the agent's words were acted upon. */
export const isSafetyBreach = (name: string): boolean => isIssue(name) && ISSUES[name].severity === 3;

/** What a model may find beside the named issues: a finding of its own kind, known by its words alone. */
export const OTHER_ISSUE = 'other';

/** Issues a review of this phase may name. */
export function issuesOf(phase: Phase): AskedIssue[] {
  return ISSUE_NAMES.filter((name) => ISSUES[name].phase === phase);
}

/** The closed sentences of a phase, the neutral one included. */
export function feedbackSentences(phase: Phase): string[] {
  return [...issuesOf(phase).map((name) => ISSUES[name].feedback), NO_ISSUE_FEEDBACK];
}

const CLOSED_SENTENCES = new Set([
  ...ALL_ISSUES.map((name): string => ISSUES[name].feedback),
  NO_ISSUE_FEEDBACK,
  NOTHING_TO_COMPARE,
]);

/** True for sentences written by us, which therefore cannot carry anything about an item. */
export const isClosedSentence = (feedback: string): boolean => CLOSED_SENTENCES.has(feedback);

/** Key of the trained line an issue may bring into the context, for the role whose item was reviewed; null when it has none. */
export function guidanceKey(issue: string, role: Role): string | null {
  if (!isIssue(issue)) return null;
  const keys: IssueEntry['guidance'] = ISSUES[issue].guidance;
  return 'general' in keys ? null : (keys[role] ?? keys.any ?? null);
}

/** Key of the line in plain words for an issue without a trained one; null for the others. */
export function generalKey(issue: string): GeneralKey | null {
  if (!isIssue(issue)) return null;
  const keys: IssueEntry['guidance'] = ISSUES[issue].guidance;
  return 'general' in keys ? keys.general : null;
}

/** The answer that names `found`, worst first: severity 2 or more asks for a retry. */
export function answerFor(found: readonly Issue[]): ReviewAnswer {
  const issues = [...found]
    .sort((a, b) => ISSUES[b].severity - ISSUES[a].severity || ALL_ISSUES.indexOf(a) - ALL_ISSUES.indexOf(b))
    .slice(0, MAX_ISSUES);
  const worst = issues[0];
  return {
    decision: worst !== undefined && ISSUES[worst].severity >= 2 ? 'retry' : 'continue',
    issues,
    feedback: worst === undefined ? NO_ISSUE_FEEDBACK : ISSUES[worst].feedback,
  };
}

/**
 * The answer as text. Issues come first: a model that writes left to right names what it saw before it decides.
 */
export function serializeAnswer({ issues, decision, feedback }: ReviewAnswer): string {
  return JSON.stringify({ issues, decision, feedback });
}

/** Closed answers that come often, the most frequent first: nothing found, then each issue alone as the rubric would say it. */
export function likelyAnswers(phase: Phase): string[] {
  return [answerFor([]), ...issuesOf(phase).map((issue) => answerFor([issue]))].map(serializeAnswer);
}

/** Longest free feedback; a sentence or two. A review is no essay, and a context line is cut from it. */
export const MAX_FEEDBACK = 300;

/** JSON schema of a closed answer for grammar-constrained decoding: issues, decision and one of our sentences. */
export function answerSchema(phase: Phase): object {
  return {
    type: 'object',
    required: ['issues', 'decision', 'feedback'],
    additionalProperties: false,
    properties: {
      issues: { type: 'array', maxItems: MAX_ISSUES, items: { enum: issuesOf(phase) } },
      decision: { enum: ['continue', 'retry'] },
      feedback: { enum: feedbackSentences(phase) },
    },
  };
}

/**
 * Reads a closed answer strictly: the three fields and nothing else, issues of this phase without repetition, one of our sentences.
 * Returns null for anything else; a half-understood review is no review.
 */
export function parseAnswer(phase: Phase, value: unknown): ReviewAnswer | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { issues, decision, feedback, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0 || (decision !== 'continue' && decision !== 'retry')) return null;
  if (!Array.isArray(issues) || issues.length > MAX_ISSUES || new Set(issues).size !== issues.length)
    return null;
  const known = issues.filter(
    (name): name is string => typeof name === 'string' && isIssue(name) && ISSUES[name].phase === phase,
  );
  if (known.length !== issues.length) return null;
  if (typeof feedback !== 'string' || !feedbackSentences(phase).includes(feedback)) return null;
  return { decision, issues: known, feedback };
}
