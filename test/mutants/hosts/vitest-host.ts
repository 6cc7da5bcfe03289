/**
 * Runs vitest files of the folder it was started in, one request after another: `{tests, changed}` on a line of its input, what came of them
 * on a line of descriptor 3. It keeps what it transformed, so that a run costs a third of a start; each has a process of its own.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createVitest, type TestModule } from 'vitest/node';
import { HOST_ANSWERS, type Answer, type Request } from './host.ts';

const root = process.cwd();
const vitest = await createVitest('test', {
  config: false,
  root,
  watch: false,
  pool: 'forks',
  maxWorkers: 1,
  isolate: false,
  bail: 1,
  reporters: [],
  include: ['test/**/*.test.ts'],
  tags: [{ name: 'full' }],
  tagsFilter: ['!full'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
});

function answerOf(modules: readonly TestModule[]): Answer {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: tests.filter((test) => test.result().state === 'failed').map(({ fullName }) => fullName),
    problem: suites.flatMap((suite) => suite.errors())[0]?.message ?? null,
  };
}

for await (const line of createInterface(process.stdin)) {
  const { tests, changed } = JSON.parse(line) as Request;
  for (const file of changed) vitest.invalidateFile(join(root, file));
  const wanted = new Set(tests.map((test) => join(root, test)));
  const specifications = (await vitest.getRelevantTestSpecifications([...wanted])).filter(({ moduleId }) =>
    wanted.has(moduleId),
  );
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const answer = answerOf(testModules.filter(({ moduleId }) => wanted.has(moduleId)));
  writeSync(HOST_ANSWERS, `${JSON.stringify(answer)}\n`);
}
await vitest.close();
