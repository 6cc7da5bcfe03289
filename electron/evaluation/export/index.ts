/**
 * Evaluations as files for other programs and for papers: pure functions from what is stored to text. Whole evaluations come in pieces
 * (pass the generator to a `pipeline` or an atomic writer), tables of a matrix as one text.
 */
export type { ExportedEvaluation, ExportedItem } from './items-csv.ts';
export { inspectFileName, inspectLog } from './inspect/log.ts';
export { itemsCsv } from './items-csv.ts';
export { matrixCsv } from './tables/matrix-csv.ts';
export { matrixLatex } from './tables/latex.ts';
export { matrixMarkdown } from './tables/markdown.ts';
