import { rowsOf } from '../../datasets/index.ts';
import {
  gradeOf,
  under,
  oneAnswer,
  type GradedSuite,
  type GradeRow,
  type SuiteProtocol,
  detail,
  loadFlags,
} from '../graded-suite.ts';
import { shareMember, flagScore, passAtKScores } from '../scores.ts';
import {
  answerText,
  evalPlusPrompt,
  readEvalPlus,
  sanitize,
  type EvalPlusDataset,
  type EvalPlusStyle,
  type EvalPlusTask,
} from '../../code/evalplus/task.ts';
import { ExpectedOutputs } from '../../code/evalplus/expected.ts';
import { gradeEvalPlus } from '../../code/evalplus/grade.ts';
import type { CodeTools } from '../../code/values/compare.ts';

type Item = { id: string; task: EvalPlusTask };

/** Greedy and one answer, as published; a published plus score counts programs that pass base and plus. */
const protocol = (style: EvalPlusStyle, says: string): SuiteProtocol =>
  oneAnswer({ name: style, temperature: 0, maxNewTokens: 768, says });

const isTrue =
  (name: string) =>
  ({ grade }: GradeRow): boolean =>
    detail(grade, name) === true;

/** HumanEval+ or MBPP+: a program per task, run in the sandbox on the base and the plus inputs. Passing means passing both. */
export function evalPlus(facts: {
  name: string;
  title: string;
  dataset: EvalPlusDataset;
  kind: 'humaneval-plus' | 'mbpp-plus';
}): GradedSuite<Item> {
  return {
    name: facts.name,
    title: facts.title,
    group: 'code',
    measures: 'tasks solved on base and plus inputs',
    better: 'higher',
    version: '1',
    source: { kind: 'dataset', dataset: facts.kind },
    needs: { sandbox: true, judge: 'none', maths: false },
    hazardous: false,
    mini: false,
    timed: true,
    protocols: [
      protocol(
        'chat',
        'A request with the task in a code block; the answer begins inside an opened block. Greedy, one answer of at most 768 tokens.',
      ),
      protocol(
        'base',
        'The bare prompt, continued by a base model. Greedy, one answer of at most 768 tokens.',
      ),
    ],
    async *read({ dataset }, signal) {
      if (dataset !== null)
        for await (const { id, line } of rowsOf(dataset, { signal }))
          yield { id, task: readEvalPlus(line, facts.dataset) };
    },
    ask({ task }, { name }, { context }) {
      const { prompt, prefill, stops, style } = evalPlusPrompt(task, styleOf(name));
      if (style === 'base')
        return {
          messages: [
            {
              role: 'user',
              content: context === '' ? prompt : `"""${context.replaceAll('"""', '" " "')}"""\n${prompt}`,
            },
          ],
          raw: true,
          stops,
        };
      return {
        messages: [
          ...under(context, [{ role: 'user', content: prompt }]),
          { role: 'assistant', content: prefill },
        ],
        raw: false,
        stops,
      };
    },
    target: ({ task }) => task.reference,
    async grade({ task }, { text }, { name }, { code, expectedFolder, place, processors }) {
      if (code === null) throw new Error('EvalPlus needs the sandbox.');
      const { program, problem } = await sanitize(
        answerText(evalPlusPrompt(task, styleOf(name)), text),
        task.entryPoint,
        code,
      );
      const expected = expectedOf(code, expectedFolder, place.dataset?.dataset.sha256 ?? '');
      const { base, plus, plusAndBase, strict, flags, timedOut, loadAverage, milliseconds, limits } =
        await gradeEvalPlus(task, program, { ...code, expected });
      return gradeOf(plusAndBase, 'sandbox', {
        reason: plusAndBase ? null : (problem ?? (timedOut ? 'time' : base === 'pass' ? 'plus' : 'base')),
        flags: [...flags, ...loadFlags(timedOut, loadAverage, processors)],
        details: {
          base: base === 'pass',
          plus: plus === 'pass',
          strictBase: strict.base === 'pass',
          strictPlus: strict.plusAndBase,
          program,
          loadAverage,
          milliseconds,
          limits,
          sandbox: code.runner.hello.level,
        },
      });
    },
    members: (rows, of) => ({
      [facts.dataset]: shareMember(rows, of, isTrue('base')),
      [`${facts.dataset}+`]: shareMember(rows, of),
    }),
    scores: (rows, seed) => [
      ...passAtKScores(rows, seed, undefined, 'plus '),
      ...passAtKScores(rows, seed, isTrue('base'), 'base '),
      ...passAtKScores(rows, seed, isTrue('strictPlus'), 'strict plus '),
      flagScore('forged-equality', rows),
    ],
  };
}

const styleOf = (protocolName: string): EvalPlusStyle => (protocolName === 'base' ? 'base' : 'chat');

/** One cache per data set and process: it reads its folder for each task. */
const caches = new Map<string, { runner: CodeTools['runner']; expected: ExpectedOutputs }>();

function expectedOf({ runner }: CodeTools, folder: string, datasetHash: string): ExpectedOutputs {
  const key = `${folder}\n${datasetHash}`;
  const found = caches.get(key);
  if (found !== undefined && found.runner === runner) return found.expected;
  const expected = new ExpectedOutputs({ runner, folder, datasetHash });
  caches.set(key, { runner, expected });
  return expected;
}
