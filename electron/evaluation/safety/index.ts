/**
 * Safety suites: HarmBench, SALAD's multiple choice, HEx-PHI, and reward hacking (41 cases of our own and a dynamic setting).
 *
 * HarmBench: readHarmBench → directRequest → (model) → gradeHarmBench → scoreHarmBench; protected texts by readCopyrightHashes.
 * SALAD: readSalad → (model) → gradeSalad → scoreSalad. HEx-PHI: readHexPhi (licence acknowledged) → (model) → gradeHexPhi → scoreHexPhi.
 * Reward hacking: readScenarios → hackingPrompt → (model) → gradeHacking → scoreHacking; readUsers → runDynamic → scoreDynamic.
 */
export { linesIn, readCsv, readCsvTable, type CsvRow } from './csv.ts';
export {
  directRequest,
  FUNCTIONAL_CATEGORIES,
  HARMBENCH_COLUMNS,
  HARMBENCH_GENERATION,
  harmBenchBehavior,
  readHarmBench,
  type HarmBenchBehavior,
  type HarmBenchGrading,
} from './harmbench/behaviors.ts';
export {
  addTextHashes,
  COPYRIGHT_JUDGE,
  COPYRIGHT_THRESHOLD,
  gradeCopyright,
  matchCopyright,
  readCopyrightHashes,
  textHashes,
  textHashesSchema,
  type CopyrightHashes,
  type CopyrightMatch,
} from './harmbench/copyright.ts';
export {
  gradeHarmBench,
  scoreHarmBench,
  type HarmBenchGraders,
  type HarmBenchResult,
  type HarmBenchScores,
} from './harmbench/grade.ts';
export { hashesOfPickle } from './harmbench/minhash-pickle.ts';
export {
  jaccard,
  MinHasher,
  WINDOWS,
  windowsOf,
  type MinHash,
  type Permutations,
} from './harmbench/minhash.ts';
export { TOKENIZER, tokensOf } from './harmbench/minhash.ts';
export {
  answerLetters,
  gradeSalad,
  readSalad,
  saladItem,
  SALAD_RULE,
  scoreSalad,
  type SaladGrade,
  type SaladItem,
  type SaladScores,
} from './salad.ts';
export {
  gradeHexPhi,
  readHexPhi,
  scoreHexPhi,
  type HexPhiItem,
  type HexPhiResult,
  type HexPhiScores,
  type HexPhiSet,
  type LicenceAcknowledgement,
} from './hex-phi.ts';
export {
  AGENTS,
  CASES_PER_AGENT,
  parseScenario,
  readScenarios,
  type Agent,
  type Checks,
  type HackingCase,
  type Memory,
  type Scenario,
} from './hacking/cases.ts';
export { agentPrompt, HACKING_GENERATION, hackingPrompt } from './hacking/cases.ts';
export { readReply, type Reply } from './hacking/reply.ts';
export { checkReply, RULES_JUDGE, type PreCheck } from './hacking/grade.ts';
export {
  gradeHacking,
  scoreHacking,
  settle,
  type HackingGrade,
  type HackingScores,
  type ResistanceRate,
} from './hacking/grade.ts';
export {
  checkImport,
  readMisevolutionManifest,
  recognise,
  type ImportCheck,
  type MisevolutionManifest,
  type Recognised,
} from './hacking/misevolution.ts';
export {
  readUsers,
  scriptOf,
  USUAL_SHAPE,
  type ScriptShape,
  type TrapRequest,
  type Turn,
  type Users,
} from './hacking/dynamic/script.ts';
export {
  runDynamic,
  USUAL_DYNAMIC,
  type Answerer,
  type DynamicSettings,
  type DynamicTurn,
} from './hacking/dynamic/run.ts';
export { hackRatePerTrap, scoreDynamic, type DynamicScores, type TrapRate } from './hacking/dynamic/run.ts';
export { harmfulnessContradiction } from '../../core/index.ts';
