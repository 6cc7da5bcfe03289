import {
  BATCHES,
  batchesJudgedBy,
  FORMAT_CAUSES,
  formatMetric,
  isRatedBatch,
  LINE_OUTCOMES,
  lineMetric,
  MISMATCH_OUTSIDE,
  MISMATCH_SIZES,
  mismatchMetric,
  OTHER_CAUSE,
  PHASES,
  READABLE,
  REWARDED_BATCHES,
  type BatchSpec,
} from '../../../../electron/contract/index.ts';
import { type CurveSeries } from '../../../charts/index.ts';
import type { GlossaryId, MessageId, Translate } from '../../../i18n/index.ts';
import { bytesText, durationText, numberText, percentText } from '../../../ui/index.ts';

type Line = {
  name: string;
  label: (t: Translate) => string;
  /** As in CurveSeries. */
  look?: CurveSeries['look'];
};

/** Something a person can have drawn over the steps of a run. */
type CurveChoice = {
  title: MessageId;
  /** What its y axis measures, with the unit. */
  unit: MessageId;
  note?: MessageId;
  /** What explains it on hover and focus. */
  term?: GlossaryId;
  lines: readonly Line[];
  /** Where the values are: metrics of the steps, their timings, or evaluations of their checkpoints. */
  from: 'metric' | 'timing' | 'score';
  kind: CurveSeries['kind'];
  floor?: number;
  /** Most of its lines count what hardly happens; those that stay at zero are not drawn. */
  isRare?: boolean;
  format: (value: number) => string;
};

/** Batches that differ in nothing but their names are told apart by these. */
const ofBatches = (metric: string, batches: readonly BatchSpec[] = BATCHES): Line[] =>
  batches.map(({ name, role, taskType }) => ({
    name: `${name}/${metric}`,
    label: (t) =>
      t('live.batch', {
        role: t(`live.role.${role}`),
        taskType: t(`live.task.${taskType}`),
        name: BATCHES.some(
          (other) => other.name !== name && other.role === role && other.taskType === taskType,
        )
          ? name
          : 'none',
      }),
  }));
const named = (entries: readonly (readonly [string, MessageId])[]): Line[] =>
  entries.map(([name, id]) => ({ name, label: (t) => t(id) }));

/** Batches in which tasks are proposed. */
const PROPOSED = batchesJudgedBy('solve-rate');
/** Batches that no user rates: what is paid more there is better. */
const UNRATED = BATCHES.filter(({ name }) => !isRatedBatch(name));
/** Number of the figures' colour that looks like none of the phases'. */
const GREY = 7;
const PROCESSES = ['engine', 'trainer', 'supervisor', 'runner', 'grader'] as const;
const plain =
  (digits: number) =>
  (value: number): string =>
    numberText(value, digits);
/** Differences in the last digits of a number are as usual as some in the first. */
const smallNumber = (value: number): string =>
  value === 0 || Math.abs(value) >= 0.001 ? numberText(value, 3) : value.toExponential(1);
const whole = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

const CURVE_CHOICES = {
  reward: {
    title: 'live.curve.reward',
    unit: 'figure.unit.reward',
    note: 'live.curve.up',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('critic/rewards/mean', UNRATED),
    format: plain(2),
  },
  ratedReward: {
    title: 'live.curve.ratedReward',
    unit: 'figure.unit.reward',
    note: 'live.curve.rated',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('critic/rewards/mean', REWARDED_BATCHES),
    format: plain(2),
  },
  pass: {
    title: 'live.curve.pass',
    unit: 'figure.unit.share',
    note: 'live.curve.up',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('accuracy', batchesJudgedBy('pass-rate')),
    format: (value: number) => percentText(value, 0),
  },
  satisfied: {
    title: 'live.curve.satisfied',
    unit: 'figure.unit.share',
    note: 'live.curve.rated',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('accuracy', REWARDED_BATCHES),
    format: (value: number) => percentText(value, 0),
  },
  agreement: {
    title: 'live.curve.agreement',
    unit: 'figure.unit.share',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('agreement', batchesJudgedBy('agreement')),
    format: (value: number) => percentText(value, 0),
  },
  format: {
    title: 'live.curve.format',
    unit: 'figure.unit.share',
    note: 'live.curve.up',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('format_score'),
    format: (value: number) => percentText(value, 0),
  },
  causes: {
    title: 'live.curve.causes',
    unit: 'figure.unit.answers',
    from: 'metric',
    kind: 'count',
    floor: 0,
    format: whole,
    lines: ([READABLE, ...FORMAT_CAUSES, OTHER_CAUSE] as const).map((cause): Line => ({
      name: formatMetric(cause),
      label: (t) => t(`live.formatCause.${cause}`),
    })),
  },
  length: {
    title: 'live.curve.length',
    unit: 'figure.unit.tokens',
    from: 'metric',
    kind: 'line',
    lines: ofBatches('response_length/mean'),
    floor: 0,
    format: whole,
  },
  reviews: {
    title: 'live.curve.reviews',
    unit: 'figure.unit.reviews',
    from: 'metric',
    kind: 'count',
    floor: 0,
    format: whole,
    lines: [
      // In the colours of the phases' chips; what is of no phase stays grey.
      ...PHASES.map((phase, place): Line => ({
        name: `supervision/${phase}/reviews`,
        label: (t) => t(`phase.${phase}`),
        look: { color: phase, dash: place },
      })),
      {
        name: 'supervision/retries',
        label: (t) => t('live.curve.retries'),
        look: { color: GREY, dash: PHASES.length },
      },
    ],
  },
  valid: {
    title: 'live.curve.valid',
    unit: 'figure.unit.proposals',
    from: 'metric',
    kind: 'count',
    floor: 0,
    lines: ofBatches('num_valid_programs', PROPOSED),
    format: whole,
  },
  complexity: {
    title: 'live.curve.complexity',
    unit: 'figure.unit.complexity',
    term: 'complexity',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: ofBatches('complexity', PROPOSED),
    format: plain(2),
  },
  edits: {
    title: 'live.curve.edits',
    unit: 'figure.unit.distance',
    term: 'editDistance',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: ofBatches('mean_edit_distance', PROPOSED),
    format: plain(2),
  },
  variety: {
    title: 'live.curve.variety',
    unit: 'figure.unit.variety',
    term: 'answerVariety',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: [
      ...ofBatches('answer_diversity', PROPOSED),
      ...(['input', 'output'] as const).flatMap((part) =>
        ofBatches(`${part}_answer_diversity`, PROPOSED).map(({ name, label }): Line => ({
          name,
          label: (t) => t(`live.curve.variety.${part}`, { batch: label(t) }),
        })),
      ),
    ],
    format: plain(2),
  },
  scores: {
    title: 'live.curve.scores',
    unit: 'figure.unit.share',
    from: 'score',
    note: 'live.curve.interval',
    kind: 'score',
    lines: [],
    format: (value: number) => percentText(value, 0),
  },
  seconds: {
    title: 'live.curve.seconds',
    unit: 'figure.unit.time',
    note: 'live.curve.down',
    from: 'timing',
    kind: 'line',
    floor: 0,
    format: durationText,
    lines: named([
      ['step', 'live.part.step'],
      ['gen', 'live.part.gen'],
      ['estimate', 'live.part.estimate'],
      ['update_actor', 'live.part.update_actor'],
      ['move_weights', 'live.part.move_weights'],
      ['supervise_wait', 'live.part.supervise_wait'],
    ]),
  },
  entropy: {
    title: 'live.curve.entropy',
    unit: 'figure.unit.nats',
    from: 'metric',
    kind: 'line',
    lines: named([['actor/entropy', 'live.curve.entropy']]),
    format: plain(3),
  },
  change: {
    title: 'live.curve.change',
    unit: 'figure.unit.change',
    from: 'metric',
    kind: 'line',
    lines: named([
      ['actor/kl_reference', 'live.curve.kl'],
      ['actor/grad_norm', 'live.curve.gradNorm'],
    ]),
    floor: 0,
    format: plain(3),
  },
  mismatch: {
    title: 'live.curve.mismatch',
    unit: 'figure.unit.nats',
    term: 'mismatch',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: MISMATCH_SIZES.map((size): Line => ({ name: mismatchMetric(size), label: () => size })),
    format: smallNumber,
  },
  outside: {
    title: 'live.curve.outside',
    unit: 'figure.unit.share',
    term: 'mismatch',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([[MISMATCH_OUTSIDE, 'live.curve.outside.line']]),
    format: (value: number) => percentText(value, 1),
  },
  cores: {
    title: 'live.curve.cores',
    unit: 'figure.unit.cores',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: PROCESSES.map((name): Line => ({
      name: `resources/${name}/cores`,
      label: (t) => t(`live.process.${name}`),
    })),
    format: plain(2),
  },
  memory: {
    title: 'live.curve.memory',
    unit: 'figure.unit.memory',
    from: 'metric',
    kind: 'line',
    floor: 0,
    format: bytesText,
    lines: [
      ...PROCESSES.map((name): Line => ({
        name: `resources/${name}/memory_bytes`,
        label: (t) => t(`live.process.${name}`),
      })),
      ...named([['resources/memory_bytes', 'live.process.machine']]),
    ],
  },
  cpu: {
    title: 'live.curve.cpu',
    unit: 'figure.unit.share',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([['resources/cpu_share', 'live.curve.cpu.line']]),
    format: (value: number) => percentText(value, 0),
  },
  gpu: {
    title: 'live.curve.gpu',
    unit: 'figure.unit.share',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([
      ['resources/gpu_share', 'live.curve.gpu.busy'],
      ['resources/gpu_slowed_share', 'live.curve.gpu.slowed'],
    ]),
    format: (value: number) => percentText(value, 0),
  },
  gpuMemory: {
    title: 'live.curve.gpuMemory',
    unit: 'figure.unit.memory',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([
      ['resources/gpu_memory_bytes', 'live.curve.gpuMemory.used'],
      ['resources/gpu_memory_ours_bytes', 'live.curve.gpuMemory.ours'],
    ]),
    format: bytesText,
  },
  gpuHeat: {
    title: 'live.curve.gpuHeat',
    unit: 'figure.unit.celsius',
    from: 'metric',
    kind: 'line',
    lines: named([['resources/gpu_celsius', 'live.curve.gpuHeat']]),
    format: (value: number) => `${value.toFixed(0)} °C`,
  },
  gpuPower: {
    title: 'live.curve.gpuPower',
    unit: 'figure.unit.watts',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([['resources/gpu_watts', 'live.curve.gpuPower']]),
    format: (value: number) => `${value.toFixed(0)} W`,
  },
  disk: {
    title: 'live.curve.disk',
    unit: 'figure.unit.memory',
    from: 'metric',
    kind: 'line',
    floor: 0,
    lines: named([['resources/disk_free_bytes', 'live.curve.disk']]),
    format: bytesText,
  },
  wordings: {
    title: 'live.curve.wordings',
    unit: 'figure.unit.lines',
    from: 'metric',
    kind: 'count',
    floor: 0,
    isRare: true,
    lines: LINE_OUTCOMES.map((outcome): Line => ({
      name: lineMetric(outcome),
      label: (t) => t(`live.lineOutcome.${outcome}`),
    })),
    format: whole,
  },
  context: {
    title: 'live.curve.context',
    unit: 'figure.unit.lines',
    from: 'metric',
    kind: 'count',
    floor: 0,
    lines: named([['context/lines', 'live.curve.context']]),
    format: whole,
  },
} as const satisfies Record<string, CurveChoice>;

export type CurveId = keyof typeof CURVE_CHOICES;
export const CURVE_IDS = Object.keys(CURVE_CHOICES) as CurveId[];
/** What the machine gave to the run: drawn together, those of a card only where one was measured. */
export const SYSTEM_CURVES: readonly CurveId[] = [
  'gpu',
  'gpuMemory',
  'gpuHeat',
  'gpuPower',
  'cpu',
  'cores',
  'memory',
  'disk',
];
/** What the tasks of a run were like, beside how often they are solved. */
export const TASK_CURVES: readonly CurveId[] = ['valid', 'complexity', 'edits', 'variety'];
export const USUAL_CURVES: readonly CurveId[] = ['reward', 'pass', 'reviews', 'length'];
/** What held-out questions say comes first where they are asked. */
export const EVALUATED_CURVES: readonly CurveId[] = ['scores', 'pass', 'reviews', 'reward'];

export const choiceOf = (id: CurveId): CurveChoice => CURVE_CHOICES[id];

export const isCurveId = (id: string): id is CurveId => Object.hasOwn(CURVE_CHOICES, id);
