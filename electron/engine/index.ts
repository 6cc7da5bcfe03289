export { Engine, type EngineOptions } from './engine.ts';
export { createRouter, type EngineRouter } from './router.ts';
export { defaultLabFolder } from './lab-folder.ts';
export { checkFolder, writeFolderManifest } from './datasets/carry.ts';
export {
  DEMO_DEFAULTS,
  runDemo,
  type DemoColumn,
  type DemoContinuation,
  type DemoOptions,
  type DemoProgress,
  type DemoReport,
} from './runs/demo.ts';
export { APP_VERSION } from './machine/about.ts';
export type { Finding } from './machine/doctor.ts';
export type { ExportedRun } from './runs/export-run.ts';
export { recordSample, SAMPLE_DEMO } from './sample-run/record.ts';
export {
  launchNodeProgramsWith,
  PortStream,
  type BindingTestMessage,
  type NodeLauncher,
  type Port,
  type Program,
} from '../processes/index.ts';
export { checkedConfig, isTree, mergeTrees, type ConfigTree } from './plan/config-tree.ts';
