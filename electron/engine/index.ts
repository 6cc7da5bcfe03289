export { Engine, type EngineOptions } from './engine.ts';
export { createRouter, type EngineRouter } from './router.ts';
export { defaultLabFolder } from './lab-folder.ts';
export { runDemo, type DemoColumn, type DemoContinuation, type DemoOptions, type DemoProgress, type DemoReport } from './demo.ts';
export type { Finding } from './doctor.ts';
export type { AskedContext, EvaluationOutcome, EvaluationRequest, PolicyReference } from './evaluate.ts';
export type { ExportedRun } from './export-run.ts';
