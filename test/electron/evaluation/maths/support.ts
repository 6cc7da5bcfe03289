import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import { startGrader, type GraderClient, type GraderLimits } from '../../../../electron/processes/index.ts';
import { root } from '../../real-runner.ts';
import { readMaths } from './official-file.ts';
import { type MathsItem, type MathsSuite } from '../../../../electron/evaluation/maths/suites.ts';

const shared = join(root, '../shared/data');
/** The official files lie beside the checkout on some machines only; they are read there and never copied. */
export const hasShared = existsSync(join(shared, 'math500/test.jsonl'));

export function officialText(suite: MathsSuite): string {
  const plain = join(shared, suite, 'test.jsonl');
  return existsSync(plain)
    ? readFileSync(plain, 'utf8')
    : gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8');
}

export const officialItems = (suite: MathsSuite): MathsItem[] =>
  readMaths(officialText(suite), suite, `${suite}/test.jsonl`);

/** An item of our own with the same gold in both modes, as it stands. */
export function ownItem(gold: string, more: Partial<MathsItem> = {}): MathsItem {
  return {
    suite: 'math500',
    id: 'own',
    question: 'What is it?',
    context: null,
    gold: { compatible: gold, repaired: gold, whole: gold },
    tolerance: null,
    labels: {},
    ...more,
  };
}

export const graderOptions = (folder: string): { python: string; moduleDir: string; logFile: string } => ({
  python: join(root, '.venv/bin/python'),
  moduleDir: join(root, 'native/grader'),
  logFile: join(folder, 'grader.log'),
});

/** Starts the real comparison process for the tests of a file and ends it after them. */
export function useGrader(limits?: GraderLimits): () => GraderClient {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-grader-'));
  let grader: GraderClient;
  beforeAll(async () => {
    grader = await startGrader({ ...graderOptions(scratch), ...(limits === undefined ? {} : { limits }) });
  }, 300_000);
  afterAll(async () => {
    await grader?.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  return () => grader;
}
