/**
 * Math-Verify's own test cases, as bare answers through the repaired mode: a case counts where gold and prediction are one answer each,
 * in a formula or a box or bare, and where it asks for no other options than ours. Reports how many verdicts are the expected ones, and
 * how many answers are accepted that both the case and math-verify alone refuse. The cases are read from a checkout and not copied.
 * Usage: git clone --branch 0.8.0 https://github.com/huggingface/Math-Verify && node test/peers/math-verify-cases.ts Math-Verify
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGrader } from '../../electron/processes/index.ts';
import { gradeMaths } from '../../electron/evaluation/maths/grade.ts';
import { repairedForm } from '../../electron/evaluation/maths/normal/repaired.ts';
import { MATHS_PROTOCOLS } from '../../electron/evaluation/maths/protocol.ts';
import type { MathsItem } from '../../electron/evaluation/maths/suites.ts';

/** Prints what pytest.mark.parametrize is given, where that is written out, as JSON. */
const READ = `
import ast, glob, json, sys
rows = []
for path in sorted(glob.glob(sys.argv[1] + "/tests/test_*.py")):
    for node in ast.walk(ast.parse(open(path).read())):
        for call in getattr(node, "decorator_list", []):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("parametrize"):
                names = ast.literal_eval(call.args[0])
                names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
                try: cases = ast.literal_eval(call.args[1])
                except ValueError: continue
                rows += [dict(zip(names, case)) for case in cases]
print(json.dumps([row for row in rows if {"gold", "pred", "expected"} <= row.keys()]))
`;
type Case = {
  gold: string;
  pred: string;
  expected: boolean | number;
  precision?: number;
  strict?: boolean;
  allow_set_relation_comp?: boolean;
};

/** The one answer that a text is, without what is around it; null for a sentence. */
function bare(text: string): string | null {
  const trimmed = text.trim();
  const formula =
    /^\$\$?([^$]*)\$\$?\.?$/.exec(trimmed) ??
    /^\\\[((?:(?!\\[[\]]).)*)\\\]\.?$/s.exec(trimmed) ??
    /^\\\(((?:(?!\\[()]).)*)\\\)$/s.exec(trimmed);
  const inside = (formula?.[1] ?? trimmed).trim();
  const box = /^\\boxed\{(.*)\}$/s.exec(inside);
  const answer = box?.[1] ?? inside;
  const isSentence = formula === null && box === null && /[a-z]{3,} [a-z]+|[A-Z][a-z]+ /.test(answer);
  return answer === '' || isSentence || /\$|\\boxed/.test(answer) ? null : answer;
}

const root = join(import.meta.dirname, '../..');
const python = join(root, '.venv/bin/python');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));
const cases = JSON.parse(
  execFileSync(python, ['-c', READ, process.argv[2] ?? 'Math-Verify'], { encoding: 'utf8' }),
) as Case[];
const grader = await startGrader({
  python,
  moduleDir: join(root, 'native/grader'),
  logFile: join(scratch, 'grader.log'),
});
const counts = { cases: 0, asExpected: 0, acceptedAgainstBoth: 0 };
for (const { gold: published, pred, expected, ...options } of cases) {
  const [gold, answer] = [bare(published), bare(pred)];
  const isDefault =
    (options.precision ?? 6) === 6 && (options.strict ?? true) && !(options.allow_set_relation_comp ?? false);
  if (gold === null || answer === null || !isDefault) continue;
  const item: MathsItem = {
    suite: 'math500',
    id: 'case',
    question: '',
    context: null,
    gold: { compatible: gold, repaired: repairedForm(gold), whole: gold },
    tolerance: null,
    labels: {},
  };
  const protocol = { ...MATHS_PROTOCOLS['qwen-boxed'], mode: 'repaired' as const };
  const { passed } = await gradeMaths(item, `\\boxed{${answer}}`, protocol, {
    grader,
    now: () => performance.now(),
  });
  const alone = await grader.compare({ gold, answer });
  counts.cases += 1;
  if (passed === Boolean(expected)) counts.asExpected += 1;
  if (passed && !expected && !(alone.outcome === 'compared' && alone.equal)) counts.acceptedAgainstBoth += 1;
}
console.log(JSON.stringify({ ...counts, share: counts.asExpected / counts.cases }));
await grader.close();
rmSync(scratch, { recursive: true });
