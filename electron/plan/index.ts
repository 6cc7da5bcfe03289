export { planProblems, requireNoProblem, withOwnSettings } from './check.ts';
export { planChoices } from './choices.ts';
export {
  checkedConfig,
  commandOf,
  configFromYaml,
  configToYaml,
  isTree,
  mergeConfigs,
  treeFromYaml,
  type ConfigTree,
} from './config-text.ts';
export { estimateRun } from './estimate.ts';
export { planMethods, type MethodPlan } from './methods.ts';
export { planMemory, takeProbe } from './probe.ts';
export { parseYaml } from './read-yaml.ts';
