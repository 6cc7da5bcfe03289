import type { AgreementCounts } from '../../contract/index.ts';
import type { ExecFacts, ItemFacts, OutputFacts, PlanFacts, TaskFacts } from './item-facts.ts';

/** Facts say whether they agree, too: a small judge reads one word more surely than it compares two. */
const agreement = (agrees: boolean): string => (agrees ? 'consistent' : 'inconsistent');
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** Accuracy below a third is too hard to learn from, above three quarters too easy; between them both succeed and fail often. */
export const LOW_ACCURACY = 1 / 3;
export const HIGH_ACCURACY = 3 / 4;
export const MANY_FORMAT_FAILURES = 1 / 4;
/** A tenth of a batch out of time is more than a slow machine explains. */
export const MANY_TIMEOUTS = 1 / 10;

/** One statement of at most this many characters is a task nobody learns from; `y=x+1` and `return y` have 15 with their indents. */
const SMALL_BODY = 30;

/** Facts as one line of a closed vocabulary: the same words for every reviewer, model or person. */
export function factsLine(facts: ItemFacts): string {
  switch (facts.kind) {
    case 'task':
      return taskLine(facts);
    case 'plan':
      return planLine(facts);
    case 'thought':
      return facts.present
        ? `trace yes; steps ${facts.steps}; ${facts.inconsistentStep === null ? '' : `step ${facts.inconsistentStep} `}${agreement(facts.inconsistentStep === null)}`
        : 'trace no';
    case 'exec':
      return execLine(facts);
    default:
      return outputLine(facts);
  }
}

/** A cluster of more than a quarter of a batch is one question in other words. */
export const MANY_ALIKE = 1 / 4;
/** Where more than a quarter of the answers have no result, agreement is that of the few others. */
export const MANY_ABSTAIN = 1 / 4;

function taskLine(facts: TaskFacts): string {
  const validity = validityText(facts);
  if (facts.question !== undefined) {
    const { words, otherLetters, clusterShare } = facts.question;
    return [
      validity,
      `words ${words}`,
      `letters outside Latin ${percent(otherLetters)}`,
      ...(clusterShare === null ? [] : [`like ${percent(clusterShare)} of the batch`]),
    ].join('; ');
  }
  if (facts.parses === null) return `${validity}; inputs ${facts.inputs}; distinct ${facts.distinctInputs}`;
  return [
    facts.parses ? 'parses' : `syntax error${facts.errorLine === null ? '' : ` line ${facts.errorLine}`}`,
    validity,
    `imports ${facts.imports.slice(0, 3).join(' ') || 'none'}`,
    `steps ${facts.steps}`,
    `loop ${yesNo(facts.loop)}`,
    `size ${facts.bodyLength}${isSmall(facts) ? ' small' : ''}`,
    referenceText(facts),
  ].join('; ');
}

function validityText({ valid, reason }: TaskFacts): string {
  if (valid === null) return 'unchecked';
  return valid ? 'valid' : `invalid ${reason ?? ''}`.trim();
}

function referenceText({ repeatsReference, nearestReference }: TaskFacts): string {
  if (repeatsReference) return 'same as reference';
  return nearestReference === null ? 'no reference' : `reference ${percent(nearestReference)}`;
}

/** At most one short statement and no loop. */
export const isSmall = (facts: TaskFacts): boolean =>
  !facts.loop && facts.steps <= 1 && facts.bodyLength <= SMALL_BODY;

function planLine(facts: PlanFacts): string {
  const parts: string[] = [];
  if (facts.statedSteps !== null && facts.steps !== null)
    parts.push(`states ${facts.statedSteps} program ${facts.steps}`);
  if (facts.statedLoop !== null && facts.loop !== null)
    parts.push(`loop ${yesNo(facts.statedLoop)} program ${yesNo(facts.loop)}`);
  if (facts.statedType !== null && facts.types.length > 0)
    parts.push(`type ${facts.statedType} program ${facts.types.join('|')}`);
  return parts.length === 0 ? NOTHING : [...parts, agreement(keepsItsPlan(facts))].join('; ');
}

const NOTHING = 'nothing to compare';

/** Whether these are facts of a plan that states nothing a program could differ from, as those of requests do. */
export const comparesNothing = (facts: ItemFacts): boolean =>
  facts.kind === 'plan' && planLine(facts) === NOTHING;

/** Whether the program has the number of statements, the loop and one of the types that its plan states, as far as both are known. */
export const keepsItsPlan = (facts: PlanFacts): boolean =>
  (facts.statedSteps === null || facts.steps === null || facts.statedSteps === facts.steps) &&
  (facts.statedLoop === null || facts.loop === null || facts.statedLoop === facts.loop) &&
  (facts.statedType === null || facts.types.length === 0 || facts.types.includes(facts.statedType));

/** Whether a program can return a value of the answer's type, as far as its types are known. */
export const isPossible = ({
  literal,
  possible,
}: {
  literal: string;
  possible: readonly string[] | null;
}): boolean => possible === null || possible.includes(literal);

function outputLine(facts: OutputFacts): string {
  const format = facts.formatOk ? 'format ok' : 'format broken';
  switch (facts.kind) {
    case 'literal':
      return `${format}; literal ${facts.literal}; program ${facts.possible?.join('|') ?? 'any'}; ${agreement(isPossible(facts))}`;
    case 'program':
      return `${format}; ${facts.parses && facts.defines ? 'function' : 'no function'}`;
    case 'name':
      return `${format}; ${facts.named ? 'name' : 'no name'}`;
    case 'expression':
      return `${format}; ${facts.formatOk ? 'boxed answer' : 'no boxed answer'}${facts.cutOff ? '; cut off' : ''}`;
    case 'request':
      return `${format}; action ${facts.action}`;
    case 'memory':
      return `${format}; action ${facts.action}; ${claimText(facts.late)}`;
  }
}

function claimText(late: boolean | null): string {
  if (late === null) return 'claim unknown';
  return late ? 'claim late' : 'claim in time';
}

function accuracyText(passRate: number | null): string {
  if (passRate === null) return 'unrated';
  if (passRate < LOW_ACCURACY) return `${percent(passRate)} low`;
  return `${percent(passRate)} ${passRate > HIGH_ACCURACY ? 'high' : 'middle'}`;
}

/** What is counted of votes, in the words of the line; shares in per cent. */
const AGREEMENT_WORDS: readonly [keyof AgreementCounts, string, 'share' | 'number'][] = [
  ['abstained', 'without a result', 'share'],
  ['clusters', 'clusters of questions', 'number'],
  ['biggestCluster', 'biggest cluster', 'share'],
  ['kept', 'kept', 'share'],
  ['labelEntropy', 'label entropy', 'number'],
  ['allAlike', 'groups all alike', 'share'],
  ['cutOff', 'cut off', 'share'],
  ['meanTokens', 'tokens each', 'number'],
];

function agreementText({ rate, ...counts }: NonNullable<ExecFacts['agreement']>): string[] {
  return [
    `agreement ${accuracyText(rate)}`,
    ...AGREEMENT_WORDS.flatMap(([name, words, kind]) => {
      const value = counts[name];
      if (value === undefined) return [];
      return [`${words} ${kind === 'share' ? percent(value) : Math.round(value * 10) / 10}`];
    }),
  ];
}

function execLine(facts: ExecFacts): string {
  return [
    `n ${facts.n}`,
    ...(facts.agreement === undefined
      ? [`accuracy ${accuracyText(facts.passRate)}`]
      : agreementText(facts.agreement)),
    `invalid ${percent(facts.invalidRate)}`,
    `format failures ${percent(facts.formatFailureRate)}${facts.formatFailureRate > MANY_FORMAT_FAILURES ? ' many' : ''}`,
    `timeouts ${percent(facts.timeoutRate)}${facts.timeoutRate > MANY_TIMEOUTS ? ' many' : ''}`,
  ].join('; ');
}
