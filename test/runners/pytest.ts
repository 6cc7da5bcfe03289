import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tallied, type Outcome, type Results, type Tally } from './results.ts';

/** All tests below test/native. Resolves after their first run; what it gives runs those that failed once more. @param pytest runs it with these arguments and gives its exit code. */
export async function runPytest(
  scratch: string,
  pytest: (args: readonly string[]) => Promise<number>,
): Promise<() => Promise<Tally>> {
  let runs = 0;
  const run = async (...args: string[]): Promise<Results> => {
    const report = join(scratch, `pytest-${(runs += 1)}.xml`);
    return resultsOf(report, await pytest(['test/native', '-q', '-rs', `--junitxml=${report}`, ...args]));
  };
  const first = await run();
  return () => tallied(first, () => run('--last-failed'));
}

const CASE = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs;

function resultsOf(report: string, status: number): Results {
  if (!existsSync(report)) return new Map([['pytest wrote no report', 'failed']]);
  const results = new Map<string, Outcome>();
  for (const [, place = '', test = '', inside = ''] of readFileSync(report, 'utf8').matchAll(CASE)) {
    const outcome = /<(failure|error)[ >]/.test(inside)
      ? 'failed'
      : inside.includes('<skipped')
        ? 'skipped'
        : 'passed';
    const name = `${place}: ${test}`;
    // A test whose clean-up fails has two entries; the worse one counts.
    if (results.get(name) !== 'failed') results.set(name, outcome);
  }
  if (status !== 0 && ![...results.values()].includes('failed'))
    results.set('pytest ended with an error outside of its tests', 'failed');
  return results;
}
