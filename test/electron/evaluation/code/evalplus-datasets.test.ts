import { loadavg } from 'node:os';
import { describe, expect, it } from 'vitest';
import { useRunner } from '../../real-runner.ts';
import { datasetHash, hasShared, scratchFolder, sharedLines, sharedTasks } from './support.ts';
import { ExpectedOutputs } from '../../../../electron/evaluation/code/evalplus/expected.ts';
import { gradeEvalPlus, type EvalPlusTools } from '../../../../electron/evaluation/code/evalplus/grade.ts';
import type { EvalPlusDataset, EvalPlusTask } from '../../../../electron/evaluation/code/evalplus/task.ts';

/** Half a minute of processor time for HumanEval+ and a minute for MBPP+, twice: for the expected outputs and for grading. */
const LONG = 1_800_000;
/** The original solutions of these tasks fail inputs that EvalPlus added. */
const FAIL_PLUS = [
  22, 32, 39, 44, 49, 55, 63, 64, 76, 91, 95, 97, 111, 122, 123, 124, 125, 127, 132, 140, 150,
];

const runner = useRunner();
const folder = scratchFolder();

function toolsFor(dataset: EvalPlusDataset): EvalPlusTools {
  return {
    runner: runner(),
    expected: new ExpectedOutputs({ runner: runner(), folder, datasetHash: datasetHash(dataset) }),
    loadAverage: () => loadavg()[0]!,
  };
}

/** Tasks whose program does not pass everything, compatibly and strictly. */
async function failing(
  tasks: readonly EvalPlusTask[],
  programOf: (task: EvalPlusTask) => string,
  tools: EvalPlusTools,
): Promise<string[]> {
  const failed: string[] = [];
  for (const task of tasks) {
    const { plusAndBase, strict, flags } = await gradeEvalPlus(task, programOf(task), tools);
    if (!plusAndBase || !strict.plusAndBase)
      failed.push(`${task.id} ${plusAndBase} ${strict.plusAndBase} ${flags.join()}`);
  }
  return failed;
}

describe.skipIf(!hasShared)('the published data sets (in ../shared/data)', () => {
  it(
    'HumanEval+: all 164 reference solutions pass, and 21 of the original ones fail plus',
    async () => {
      const [tasks, tools] = [sharedTasks('humaneval'), toolsFor('humaneval')];
      expect(tasks.length).toBe(164);
      expect(await failing(tasks, (task) => task.reference, tools)).toEqual([]);
      const originals = new Map(
        sharedLines('humaneval/HumanEval.jsonl.gz')
          .map((line) => JSON.parse(line) as { task_id: string; prompt: string; canonical_solution: string })
          .map((row) => [row.task_id, row.prompt + row.canonical_solution]),
      );
      const verdicts: { id: number; base: string; plus: string }[] = [];
      for (const task of tasks.filter(
        ({ id }) => FAIL_PLUS.includes(Number(id.split('/')[1])) || Number(id.split('/')[1]) < 30,
      )) {
        const { base, plus } = await gradeEvalPlus(task, originals.get(task.id)!, tools);
        verdicts.push({ id: Number(task.id.split('/')[1]), base, plus });
      }
      expect(verdicts.filter(({ base }) => base !== 'pass')).toEqual([]);
      expect(verdicts.filter(({ plus }) => plus !== 'pass').map(({ id }) => id)).toEqual(FAIL_PLUS);
    },
    LONG,
  );

  it(
    'MBPP+: all 378 reference solutions pass',
    async () => {
      const tasks = sharedTasks('mbpp');
      expect(tasks.length).toBe(378);
      expect(await failing(tasks, (task) => task.reference, toolsFor('mbpp'))).toEqual([]);
    },
    LONG,
  );
});
