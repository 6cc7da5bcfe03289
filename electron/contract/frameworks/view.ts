/** One kind of step, as whoever draws a run calls it. */
export type StageView = {
  /** As steps have it. */
  name: string;
  /** One letter, where there is no room for more. */
  letter: string;
  label: string;
};

/** How the values of a figure are written. */
export type FigureUnit = 'share' | 'count' | 'number' | 'bits';

/** Metrics of steps that are drawn together. */
export type FigureView = {
  title: string;
  note?: string;
  unit: FigureUnit;
  lines: readonly { metric: string; label: string }[];
};

/** Tasks whose rate was measured: how often they are solved, or how far their answers agree. */
export type RatesView = {
  title: string;
  /** The stage whose tasks these are; null where a run has but one. */
  stage: string | null;
};

/** Labels that nobody knows to be right: the tasks of this origin, and the metrics in which agreement and what could be computed stand. */
export type LabelsView = { origin: string; agreement: string; computable: string; computedRight: string };

/** What makes the rise of a metric suspect: that another one gets worse in the same iteration. */
export type WatchView = {
  rises: FigureView['lines'][number];
  worsens: readonly (FigureView['lines'][number] & { when: 'falls' | 'rises' })[];
};

/** What is to be seen of a framework's runs. Window, terminal and exports read it here and know no framework. */
export type FrameworkView<C> = {
  /** In the order of an iteration; empty for a framework of one stage, whose steps are all alike. */
  stages: readonly StageView[];
  rates: readonly RatesView[];
  /** Between which rates, both included, a task is trained on; null where all tasks are. */
  keptRates: (config: C) => readonly [number, number] | null;
  figures: readonly FigureView[];
  /** Null where a verifier says what is right. */
  labels: LabelsView | null;
  watches: readonly WatchView[];
};

/** A stretch of steps of one stage, as a run's schedule has it. */
export type StageSpan = {
  stage: string;
  iteration: number;
  /** Its first and last step. */
  from: number;
  to: number;
  /** Steps that trained up to the first one, that included, and whether the following train as well. */
  globalStep: number;
  trains: boolean;
};

/** Where a step of a span stands: which of its stage, and how many have trained up to it. */
export function placeInSpan(
  { from, globalStep, trains }: StageSpan,
  step: number,
): { stageStep: number; globalStep: number } {
  return { stageStep: step - from + 1, globalStep: globalStep + (trains ? step - from : 0) };
}
