import { runConfigSchema, type RunConfig, type TrainMethod } from '../contract/index.ts';
import { PRESETS } from '../evolution/index.ts';
import type { MethodPlan } from '../plan/index.ts';
import { formatBytes, formatDuration, renderTable } from './table.ts';

const PRESET = 'small-real';

const SYSTEM_IN_USER =
  'Its chat template has no place for a system text: it will stand in front of the first question.';

/** A run of the smallest preset for models of one's own, whose lengths and rows the table is of. */
export const planOf = (model: string): RunConfig => {
  const preset = runConfigSchema.parse(PRESETS[PRESET]);
  return { ...preset, policy: { ...preset.policy, model } };
};

/** Every way to train against this machine, as New run shows it. */
export function methodsText(methods: readonly MethodPlan[]): string {
  const free = methods[0]?.plan.freeBytes ?? 0;
  const rows = methods.map(({ method, plan, stepSeconds, isSuggested }) => [
    `${isSuggested ? '→ ' : '  '}${nameOf(method)}`,
    ...(['rollout', 'update', 'optimizer'] as const).map((phase) =>
      formatBytes(Object.values(plan.phases[phase] ?? {}).reduce((sum, bytes) => sum + bytes, 0)),
    ),
    plan.obstacle !== null ? 'not here' : plan.fits ? (plan.offloads ? 'one role at a time' : 'yes') : 'no',
    formatBytes(plan.disk.each),
    stepSeconds === null ? 'not measured yet' : formatDuration(stepSeconds.value),
  ]);
  const obstacles = new Set(
    methods.flatMap(({ plan: { obstacle } }) => (obstacle === null ? [] : [obstacle])),
  );
  const suggested = methods.find(({ isSuggested }) => isSuggested);
  return [
    `Ways to train it, with the lengths and rows of the preset ${PRESET}; ${formatBytes(free)} are free.`,
    renderTable(['', 'answering', 'gradients', 'optimizer', 'fits', 'a checkpoint', 'a step'], rows),
    suggested === undefined
      ? 'None of them fits: shorter answers, fewer rows at a time or a smaller model would help.'
      : `→ is the nearest to training every parameter in float32 that fits: ${settingsOf(suggested.method)}.`,
    ...obstacles,
    ...(methods[0]?.plan.systemInUser === true ? [SYSTEM_IN_USER] : []),
  ].join('\n');
}

const nameOf = ({ precision = 'float32', optimizer, lora }: TrainMethod): string =>
  `${lora === undefined ? 'every parameter' : `an adapter of rank ${lora.rank}`}, ${precision}${optimizer === 'adamw8bit' ? ', moments in 8 bits' : ''}`;

/** What to add to the command of a run. */
const settingsOf = ({ precision, optimizer, lora }: TrainMethod): string =>
  [
    ...(precision === undefined ? [] : [`--set train.precision=${precision}`]),
    ...(optimizer === undefined ? [] : [`--set train.optimizer=${optimizer}`]),
    ...(lora === undefined
      ? []
      : [`--set train.lora.rank=${lora.rank}`, `--set train.lora.alpha=${lora.alpha}`]),
  ].join(' ') || 'nothing has to be set';
