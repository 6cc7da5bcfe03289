import type { EvaluationSummary, GradedItem, ItemOverride } from '../../contract/index.ts';

/** An evaluation to be written out. Its answers come beside it, one after another: there may be a hundred thousand. */
export type ExportedEvaluation = EvaluationSummary;

/** One answer with what a person said of its verdict; null when nobody did. */
export type ExportedItem = { item: GradedItem; override: ItemOverride | null };
