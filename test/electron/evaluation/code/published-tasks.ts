import { loadavg } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { RunnerClient } from '../../../../electron/processes/index.ts';
import { ExpectedOutputs } from '../../../../electron/evaluation/code/evalplus/expected.ts';
import { gradeEvalPlus, type EvalPlusTools } from '../../../../electron/evaluation/code/evalplus/grade.ts';
import type { EvalPlusDataset, EvalPlusTask } from '../../../../electron/evaluation/code/evalplus/task.ts';
import { useRunner } from '../../real-runner.ts';
import { datasetHash, hasShared, scratchFolder, sharedLines, sharedTasks } from './support.ts';

/** Half a minute of processor time for HumanEval+ and a minute for MBPP+, twice: for the expected outputs and for grading. */
const LONG = 1_800_000;
const TASKS = { humaneval: 164, mbpp: 378 };
/** The original solutions of these tasks fail inputs that EvalPlus added. */
const FAIL_PLUS = [
  22, 32, 39, 44, 49, 55, 63, 64, 76, 91, 95, 97, 111, 122, 123, 124, 125, 127, 132, 140, 150,
];

/** Tasks whose program does not pass everything, compatibly and strictly. */
async function failing(tasks: readonly EvalPlusTask[], tools: EvalPlusTools): Promise<string[]> {
  const failed: string[] = [];
  for (const task of tasks) {
    const { plusAndBase, strict, flags } = await gradeEvalPlus(task, task.reference, tools);
    if (!plusAndBase || !strict.plusAndBase)
      failed.push(`${task.id} ${plusAndBase} ${strict.plusAndBase} ${flags.join()}`);
  }
  return failed;
}

/** Reference solutions of every `share`-th published task pass; original ones fail where EvalPlus says. */
export function checkPublishedTasks(share: number): void {
  const runner = useRunner();
  const folder = scratchFolder();
  const toolsFor = (dataset: EvalPlusDataset): EvalPlusTools => {
    const own: RunnerClient = runner();
    return {
      runner: own,
      expected: new ExpectedOutputs({ runner: own, folder, datasetHash: datasetHash(dataset) }),
      loadAverage: () => loadavg()[0]!,
    };
  };
  const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => index % share === 0);

  describe.skipIf(!hasShared)(
    `${share === 1 ? 'all tasks' : `one in ${share} tasks`} of the published data sets (in ../shared/data)`,
    () => {
      it.each(['humaneval', 'mbpp'] as const)(
        '%s+: the reference solutions pass',
        async (dataset) => {
          const tasks = sharedTasks(dataset);
          expect(tasks.length).toBe(TASKS[dataset]);
          expect(await failing(some(tasks), toolsFor(dataset))).toEqual([]);
        },
        LONG,
      );

      it(
        'humaneval+: original solutions pass their own inputs and fail those that were added, where EvalPlus says',
        async () => {
          const tools = toolsFor('humaneval');
          const originals = new Map(
            sharedLines('humaneval/HumanEval.jsonl.gz')
              .map(
                (line) => JSON.parse(line) as { task_id: string; prompt: string; canonical_solution: string },
              )
              .map((row) => [row.task_id, row.prompt + row.canonical_solution]),
          );
          const asked = sharedTasks('humaneval')
            .map((task, number) => ({ task, number }))
            .filter(({ number }) => number < 30 || FAIL_PLUS.includes(number));
          const verdicts: { number: number; base: string; plus: string }[] = [];
          for (const { task, number } of some(asked)) {
            const { base, plus } = await gradeEvalPlus(task, originals.get(task.id)!, tools);
            verdicts.push({ number, base, plus });
          }
          expect(verdicts.filter(({ base }) => base !== 'pass')).toEqual([]);
          expect(verdicts.filter(({ plus }) => plus !== 'pass').map(({ number }) => number)).toEqual(
            some(asked).flatMap(({ number }) => (FAIL_PLUS.includes(number) ? [number] : [])),
          );
        },
        LONG,
      );
    },
  );
}
