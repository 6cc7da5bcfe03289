import { closeSync, openSync, readdirSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../../electron/core/index.ts';

/** A statement; `@run` is the run. */
type Change = { sql: string; values?: Record<string, string> };

/**
 * One value changed in the prepared lab's supervised run, which has two steps. The rule that has to find it names the record, what is stored
 * and, where it says so, what it should be.
 */
export type Tampering = {
  what: string;
  rule: string;
  /** The record that the first difference names, exactly or by a pattern. */
  about: string | RegExp;
  changes?: readonly Change[];
  /** A change of files, in the folder of the run. */
  file?: (folder: string) => void;
  /** Whether hashes are computed again around it; they are unless they are what is found. */
  attested?: boolean;
  /** Answers that are scored again; none unless the change is of them. */
  sample?: number;
};

const rollout = (id: string, set: string): Change => ({
  sql: `UPDATE rollouts SET ${set} WHERE run_id = @run AND id = '${id}'`,
});
const texts = (id: string, set: string): Change => ({
  sql: `UPDATE rollout_texts SET ${set} WHERE key = (SELECT key FROM rollouts WHERE run_id = @run AND id = '${id}')`,
});
const task = (id: string, set: string): Change => ({
  sql: `UPDATE tasks SET ${set} WHERE run_id = @run AND id = '${id}'`,
});
const config = (path: string, value: number): Change => ({
  sql: `UPDATE runs SET config = json_set(config, '$.${path}', ${value}) WHERE id = @run`,
});
const line = (set: string): Change => ({
  sql: `UPDATE context_lines SET ${set} WHERE run_id = @run AND step = 2 AND ordinal = 0`,
});
const firstSummary = (set: string): Change => ({
  sql: `UPDATE summaries SET ${set} WHERE run_id = @run AND step = 1 AND ordinal = 0`,
});
/** The first review of step 1 that says nothing, so that no line rests on it. */
const SILENT = `(SELECT min(key) FROM reviews WHERE run_id = @run AND step = 1 AND phase <> 'exec' AND issues = '[]')`;
const POINTS = `(SELECT min(ordinal) FROM summaries WHERE run_id = @run AND step = 1 AND points <> '[]')`;
const OTHER_TEXT = '\nGuidance:\n- Prefer list inputs.';

export const TAMPERINGS: readonly Tampering[] = [
  {
    what: "a solver's reward",
    rule: 'rewards.solver',
    about: '1/pred_code_i/0',
    changes: [rollout('1/pred_code_i/0', 'reward = 0.25')],
  },
  {
    what: "a proposer's reward",
    rule: 'rewards.proposer',
    about: '1/gen_code_i/0',
    changes: [rollout('1/gen_code_i/0', 'reward = reward + 0.125')],
  },
  {
    what: "a rated answer's reward",
    rule: 'rewards.rating',
    about: '1/pred_request/0',
    changes: [rollout('1/pred_request/0', 'reward = -reward')],
  },
  {
    what: 'an advantage',
    rule: 'rewards.advantage',
    about: '2/pred_code_o/0',
    changes: [rollout('2/pred_code_o/0', 'advantage = advantage + 0.001')],
  },
  {
    what: 'the number of tokens that advantages are weighted by',
    rule: 'rewards.advantage',
    about: /^1\/gen_code_i\//,
    changes: [rollout('1/gen_code_i/0', 'new_tokens = new_tokens + 40')],
  },
  {
    what: 'a reward where only a measurement was made',
    rule: 'rewards.estimate',
    about: '1/gen_code_o/0/0',
    changes: [rollout('1/gen_code_o/0/0', 'reward = 1, advantage = 0')],
  },
  {
    what: "a measurement's verdict",
    rule: 'estimates.verdict',
    about: '1/gen_code_o/0/1',
    changes: [
      rollout(
        '1/gen_code_o/0/1',
        `outcome = iif(accuracy = 1, 'failed', 'passed'), reason = iif(accuracy = 1, 'wrong-value', NULL), accuracy = 1 - accuracy`,
      ),
    ],
  },
  {
    what: 'a measurement that is gone',
    rule: 'estimates.number',
    about: 't1/deduction/0',
    changes: [{ sql: `DELETE FROM rollouts WHERE run_id = @run AND id = '1/gen_code_o/0/1'` }],
  },
  {
    what: 'a solve rate',
    rule: 'tasks.solve_rate',
    about: 't1/abduction/1',
    changes: [task('t1/abduction/1', 'solve_rate = iif(solve_rate = 0.5, 1, 0.5)')],
  },
  {
    what: "a solution's verdict",
    rule: 'solutions.verdict',
    about: '2/pred_code_i/0',
    changes: [
      rollout(
        '2/pred_code_i/0',
        `outcome = iif(accuracy = 1, 'failed', 'passed'), reason = iif(accuracy = 1, 'wrong-value', NULL), accuracy = 1 - accuracy`,
      ),
    ],
  },
  {
    what: "a proposal's verdict",
    rule: 'proposals.verdict',
    about: '1/gen_code_f/0',
    changes: [rollout('1/gen_code_f/0', `outcome = 'invalid', reason = 'raised', accuracy = 0`)],
  },
  {
    what: 'the gold of a proposed task',
    rule: 'tasks.gold',
    about: 't1/deduction/0',
    changes: [task('t1/deduction/0', `outputs = '["77"]'`)],
  },
  {
    what: 'the gold of a first task',
    rule: 'tasks.gold',
    about: /^seed\//,
    changes: [
      {
        sql: `UPDATE tasks SET outputs = '["77"]' WHERE run_id = @run AND id = (
          SELECT task_id FROM rollouts WHERE run_id = @run AND id = '1/pred_code_i/1')`,
      },
    ],
  },
  {
    what: 'the input of a task',
    rule: 'tasks.read',
    about: 't1/abduction/0, inputs',
    changes: [task('t1/abduction/0', `inputs = '["3"]'`)],
  },
  {
    what: 'the program of a task',
    rule: 'tasks.read',
    about: 't1/abduction/0, program',
    changes: [task('t1/abduction/0', 'program = program || char(10)')],
  },
  {
    what: 'the proposal that a task came from',
    rule: 'tasks.read',
    about: 't1/abduction/0, response',
    changes: [task('t1/abduction/0', `rollout_id = '1/gen_code_i/1'`)],
  },
  {
    what: 'the answer read from a response',
    rule: 'responses.read',
    about: '1/pred_code_o/0, answer',
    changes: [texts('1/pred_code_o/0', `answer = '77'`)],
  },
  {
    what: 'the plan read from a response',
    rule: 'responses.read',
    about: '1/pred_code_o/1, plan',
    changes: [texts('1/pred_code_o/1', `plan = plan || '.'`)],
  },
  {
    what: 'whether a response kept the form',
    rule: 'responses.read',
    about: '1/gen_code_i/1, formatOk',
    changes: [rollout('1/gen_code_i/1', 'format_ok = 0')],
  },
  {
    what: 'a review that is gone',
    rule: 'reviews.gate',
    about: /^1\/.*#/,
    changes: [{ sql: `DELETE FROM reviews WHERE key = ${SILENT}` }],
  },
  {
    what: 'the chance that a review was drawn with',
    rule: 'reviews.gate',
    about: /^1\/.*, p$/,
    changes: [{ sql: `UPDATE reviews SET gate_probability = 0.5 WHERE key = ${SILENT}` }],
  },
  {
    what: 'what a review of a batch was shown',
    rule: 'reviews.statistics',
    about: /^1\/.*#exec$/,
    changes: [
      {
        sql: `UPDATE review_texts SET prompt = replace(prompt, 'facts: n 3;', 'facts: n 4;') WHERE key = (
          SELECT min(key) FROM reviews WHERE run_id = @run AND step = 1 AND phase = 'exec' AND batch LIKE 'gen%')`,
      },
    ],
  },
  {
    what: "the answer of a task among what a solver's review was shown",
    rule: 'reviews.material',
    about: /^1\/pred_code_o\/\d+#/,
    changes: [
      {
        sql: `UPDATE review_texts SET prompt = replace(prompt, char(10) || 'facts: ', char(10) || 'output: 7' || char(10) || 'facts: ')
          WHERE key = (SELECT min(key) FROM reviews WHERE run_id = @run AND step = 1 AND batch = 'pred_code_o' AND phase <> 'exec')`,
      },
    ],
  },
  {
    what: 'a computed fact that a review was told',
    rule: 'reviews.material',
    about: /^1\/pred_code_\w\/\d+#output, facts$/,
    changes: [
      {
        sql: `UPDATE review_texts SET prompt = replace(prompt, 'facts: format ', 'facts: format not ') WHERE key = (
          SELECT min(key) FROM reviews WHERE run_id = @run AND step = 1 AND phase = 'output' AND batch LIKE 'pred_code%')`,
      },
    ],
  },
  {
    what: 'a leak in a review that counts',
    rule: 'reviews.quarantine',
    about: /^1\/.*#/,
    changes: [{ sql: `UPDATE reviews SET leaks = '["gold"]' WHERE key = ${SILENT}` }],
  },
  {
    what: 'a review written before its step',
    rule: 'records.times',
    about: /^1\/.*#/,
    changes: [{ sql: `UPDATE reviews SET created_at = '2020-01-01T00:00:00.000Z' WHERE key = ${SILENT}` }],
  },
  {
    what: 'how many reviews a summary counts',
    rule: 'summaries.scope',
    about: /^1\/.*, counted$/,
    changes: [firstSummary('eligible = eligible + 1')],
  },
  {
    what: 'which reviews a summary may count',
    rule: 'summaries.scope',
    about: /^1\/.*, scope$/,
    changes: [firstSummary(`scope = 'all'`)],
  },
  {
    what: 'the count of a finding',
    rule: 'summaries.points',
    about: /^1\/.*, count$/,
    changes: [
      {
        sql: `UPDATE summaries SET points = json_set(points, '$[0].count', 7)
          WHERE run_id = @run AND step = 1 AND ordinal = ${POINTS}`,
      },
    ],
  },
  {
    what: 'a finding that no counted review made',
    rule: 'summaries.points',
    about: /^1\//,
    changes: [
      {
        sql: `UPDATE summaries SET points = json_set(points, '$[0].reviewIds[0]', (SELECT id FROM reviews WHERE key = ${SILENT}))
          WHERE run_id = @run AND step = 1 AND ordinal = ${POINTS}`,
      },
    ],
  },
  {
    what: 'the text of a summary',
    rule: 'summaries.points',
    about: /^1\/.*, text$/,
    changes: [firstSummary(`text = text || ' '`)],
  },
  {
    what: 'the review that a line rests on',
    rule: 'contexts.lineage',
    about: /^line 2\..*, in a summary$/,
    changes: [
      {
        sql: `UPDATE context_line_sources SET review_id = (SELECT id FROM reviews WHERE key = ${SILENT})
          WHERE run_id = @run AND since_step = 2 AND line_id = (
            SELECT line_id FROM context_lines WHERE run_id = @run AND step = 2 AND ordinal = 0) AND ordinal = 0`,
      },
    ],
  },
  {
    what: 'how many reviews support a line',
    rule: 'contexts.lineage',
    about: /^line 2\..*, support$/,
    changes: [line('support = support + 1')],
  },
  {
    what: 'when a line was supported',
    rule: 'contexts.lineage',
    about: /^line 2\..*, renewed$/,
    changes: [line('last_supported_step = 0')],
  },
  {
    what: 'the words of a line',
    rule: 'contexts.text',
    about: 'context 2',
    changes: [line(`text = 'Prefer list inputs.'`)],
  },
  {
    what: 'a line that states the program of a task that it goes back to',
    rule: 'contexts.leaks',
    about: /^line \S+ of context 3$/,
    changes: [
      {
        sql: `UPDATE context_lines SET text = 'Try harder programs than ' || stated.program
          FROM (SELECT s.line_id, replace(t.program, char(10), ' ') AS program FROM context_line_sources s
            JOIN reviews v ON v.run_id = s.run_id AND v.id = s.review_id JOIN rollouts r ON r.key = v.rollout_key
            JOIN tasks t ON t.run_id = r.run_id AND t.id = r.task_id
            WHERE s.run_id = @run AND s.since_step = 3 AND t.program <> '' LIMIT 1) AS stated
          WHERE run_id = @run AND step = 3 AND context_lines.line_id = stated.line_id`,
      },
    ],
  },
  {
    what: 'a line that leaves unsaid',
    rule: 'contexts.leaving',
    about: /^line 2\..*, is accounted for$/,
    changes: [{ sql: `UPDATE contexts SET removed = '[]' WHERE run_id = @run AND step = 3` }],
  },
  {
    what: 'a line with less support than it needs',
    rule: 'contexts.support',
    about: /^line /,
    changes: [config('supervision.minimumSupport', 6)],
  },
  {
    what: 'a context that is longer than it may be',
    rule: 'contexts.budget',
    about: 'context 2, lines',
    changes: [config('supervision.contextLines', 1)],
  },
  {
    what: 'a whole context, its hash and every record that names it',
    rule: 'prompts.tokens',
    about: /^2\//,
    changes: [
      {
        sql: `UPDATE contexts SET text = @value, hash = @hash WHERE run_id = @run AND step = 2`,
        values: { value: OTHER_TEXT, hash: sha256Hex(OTHER_TEXT) },
      },
      {
        sql: `UPDATE steps SET context_hash = @value WHERE run_id = @run AND step = 2`,
        values: { value: sha256Hex(OTHER_TEXT) },
      },
      {
        sql: `UPDATE rollouts SET context_hash = @value WHERE run_id = @run AND step = 2`,
        values: { value: sha256Hex(OTHER_TEXT) },
      },
    ],
  },
  {
    what: 'the hash of a context',
    rule: 'contexts.text',
    about: 'context 3, hash',
    changes: [
      {
        sql: `UPDATE contexts SET hash = @value WHERE run_id = @run AND step = 3`,
        values: { value: sha256Hex('x') },
      },
    ],
  },
  {
    what: 'the context that a response was made under',
    rule: 'prompts.context',
    about: '2/pred_code_f/0, hash of C_t',
    changes: [
      {
        sql: `UPDATE rollouts SET context_hash = @value WHERE run_id = @run AND id = '2/pred_code_f/0'`,
        values: { value: sha256Hex('') },
      },
    ],
  },
  {
    what: 'the task that a solver was shown',
    rule: 'prompts.task',
    about: '1/pred_code_o/0',
    changes: [texts('1/pred_code_o/0', `user = replace(user, 'def f(x)', 'def f(y)')`)],
  },
  {
    what: 'the context in a system prompt as it was sent',
    rule: 'prompts.system',
    about: /^2\/.*\d$/,
    changes: [
      {
        sql: `UPDATE system_prompts SET text = text || ' ', sha256 = @value WHERE run_id = @run AND sha256 = (
          SELECT system_sha256 FROM generations JOIN rollouts USING (key) WHERE run_id = @run AND id = '2/pred_code_i/0')`,
        values: { value: sha256Hex('x') },
      },
      {
        sql: `UPDATE generations SET system_sha256 = @value WHERE system_sha256 NOT IN (
          SELECT sha256 FROM system_prompts WHERE run_id = @run) AND key IN (SELECT key FROM rollouts WHERE run_id = @run)`,
        values: { value: sha256Hex('x') },
      },
    ],
  },
  {
    what: 'the text of a user who is shown no task',
    rule: 'prompts.sent',
    about: '1/gen_code_f/0',
    changes: [texts('1/gen_code_f/0', `user = user || ' '`)],
  },
  {
    what: 'a response that was written after its review',
    rule: 'records.times',
    about: /^1\/.*, after what it reviews$/,
    changes: [
      {
        sql: `UPDATE generations SET at = (SELECT finished_at FROM steps WHERE run_id = @run AND step = 1)
          WHERE key = (SELECT rollout_key FROM reviews WHERE key = ${SILENT})`,
      },
    ],
  },
  {
    what: 'the length of a prompt',
    rule: 'prompts.tokens',
    about: '2/gen_code_i/0',
    changes: [rollout('2/gen_code_i/0', 'prompt_tokens = prompt_tokens - 1')],
  },
  {
    what: 'the log-probability of an answer',
    rule: 'rollouts.logp',
    about: '2/pred_code_o/1',
    changes: [rollout('2/pred_code_o/1', 'logp_mean = logp_mean - 0.01')],
    sample: 200,
  },
  {
    what: 'weights that a checkpoint does not hold',
    rule: 'checkpoints.weights',
    about: 'checkpoint 2 of policy',
    changes: [
      {
        sql: `UPDATE checkpoints SET weights_sha256 = @value WHERE run_id = @run AND step = 2`,
        values: { value: sha256Hex('x') },
      },
      {
        sql: `UPDATE steps SET weights_sha256 = @value WHERE run_id = @run AND step = 2`,
        values: { value: sha256Hex('x') },
      },
    ],
  },
  {
    what: 'a bit of the weights',
    rule: 'checkpoints.files',
    about: 'checkpoint 1 of policy, model.safetensors',
    file: (folder) => flipBit(join(folder, 'checkpoints'), 'step-00001', 'model.safetensors'),
  },
  {
    what: 'the hash of a step',
    rule: 'steps.chain',
    about: 'step 2',
    changes: [
      {
        sql: `UPDATE steps SET step_hash = @value WHERE run_id = @run AND step = 2`,
        values: { value: sha256Hex('x') },
      },
    ],
    attested: false,
  },
  {
    what: 'a record of a step, and nothing around it',
    rule: 'records.attested',
    about: 'step 2',
    changes: [
      { sql: `UPDATE metrics SET value = value + 1 WHERE run_id = @run AND step = 2 AND kind = 'timing'` },
    ],
    attested: false,
  },
  {
    what: 'an event, and nothing around it',
    rule: 'events.chain',
    about: /^event \d+$/,
    changes: [
      { sql: 'DROP TRIGGER events_are_never_changed' },
      {
        sql: `UPDATE events SET body = json_set(body, '$.reviews', 1) WHERE kind = 'step.committed' AND run_id = @run`,
      },
    ],
    attested: false,
  },
];

/** Turns over a bit in the middle of a file. */
function flipBit(folder: string, step: string, name: string): void {
  if (!readdirSync(folder).includes(step)) throw new Error(`There is no ${step}.`);
  const file = openSync(join(folder, step, name), 'r+');
  try {
    const byte = Buffer.alloc(1);
    const at = 4_000_001;
    readSync(file, byte, 0, 1, at);
    writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    closeSync(file);
  }
}
