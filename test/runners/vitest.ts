import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { tallied, type Outcome, type Results, type Tally } from './results.ts';

type Test = { status: string; fullName: string; tags: string[] };
type Report = { testResults: { name: string; status: string; assertionResults: Test[] }[] };

export type VitestRun = {
  /** The folder with vitest's configuration. */
  root: string;
  scratch: string;
  /** Runs vitest with these arguments and gives its exit code. */
  vitest: (args: readonly string[]) => Promise<number>;
  /** Projects of the configuration; all of it without. */
  projects?: readonly string[];
  /** Runs the tests with this tag alone, or with `!` before it those without; the others are not counted. */
  tag?: string;
  /** Files in which a second run proves nothing, because they ask whether two runs are the same. */
  once: readonly string[];
};

const BETWEEN = ' > ';

/** All tests that vitest finds. Resolves after their first run; what it gives runs once more those of them that may. */
export async function runVitest({
  root,
  scratch,
  vitest,
  projects = [],
  tag,
  once,
}: VitestRun): Promise<() => Promise<Tally>> {
  let runs = 0;
  const run = async (files: readonly string[]): Promise<Results> => {
    const report = join(scratch, `vitest-${(runs += 1)}.json`);
    const status = await vitest([
      'run',
      ...files,
      ...projects.flatMap((name) => ['--project', name]),
      ...(tag === undefined ? [] : [`--tags-filter=${tag}`]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]);
    return resultsOf(root, report, status, ({ tags }) => tag === undefined || isAsked(tag, tags));
  };
  const mayRunAgain = (name: string): boolean => !once.some((path) => name.startsWith(path));
  const first = await run([]);
  const failed = [...first].flatMap(([name, outcome]) => (outcome === 'failed' ? [name] : []));
  return () =>
    tallied(first, failed.every(mayRunAgain) ? (names) => run([...new Set(names.map(fileOf))]) : null);
}

const isAsked = (tag: string, tags: readonly string[]): boolean =>
  tag.startsWith('!') ? !tags.includes(tag.slice(1)) : tags.includes(tag);

const fileOf = (name: string): string => name.split(BETWEEN)[0] ?? name;

function resultsOf(root: string, report: string, status: number, counts: (test: Test) => boolean): Results {
  if (!existsSync(report)) return new Map([['vitest wrote no report', 'failed']]);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const results = new Map<string, Outcome>();
  for (const { name, status: fileStatus, assertionResults } of testResults) {
    const file = relative(root, name);
    for (const test of assertionResults.filter(counts))
      results.set(
        nameIn(results, `${file}${BETWEEN}${test.fullName}`),
        test.status === 'passed' ? 'passed' : test.status === 'failed' ? 'failed' : 'skipped',
      );
    // A file that fails to load, or whose set-up fails, may have no failed test; it must count all the same.
    const isAccounted = assertionResults.some((test) => test.status === 'failed');
    if (fileStatus === 'failed' && !isAccounted) results.set(`${file}${BETWEEN}(the file itself)`, 'failed');
  }
  if (status !== 0 && ![...results.values()].includes('failed'))
    results.set('vitest ended with an error outside of its tests', 'failed');
  return results;
}

/** Tests of a file may share a name; each counts. */
function nameIn(results: Results, name: string): string {
  let own = name;
  for (let number = 2; results.has(own); number += 1) own = `${name} (${number})`;
  return own;
}
