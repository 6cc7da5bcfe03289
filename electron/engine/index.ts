export { Engine } from './engine.ts';
export { createRouter, type EngineRouter } from './router.ts';
export {
  launchNodeProgramsWith,
  PortStream,
  type BindingTestMessage,
  type NodeLauncher,
  type Port,
  type Program,
} from '../processes/index.ts';
export { Jobs } from './jobs.ts';
export type { MadePolicy } from '../inventory/index.ts';
export type { ExportedRun } from './runs/export-run.ts';
