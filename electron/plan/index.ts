export { planProblems, requireNoProblem, withOwnSettings } from './check.ts';
export { planChoices } from './choices.ts';
export {
  checkedConfig,
  commandOf,
  configFromYaml,
  configToYaml,
  isTree,
  mergeConfigs,
  parseYaml,
  treeFromYaml,
  type ConfigTree,
} from './config-text.ts';
export { estimateRun, planMemory } from './estimate.ts';
export { takeProbe } from './probe.ts';
