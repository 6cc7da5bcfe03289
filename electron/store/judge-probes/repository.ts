import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  Failure,
  judgeProbeAnswerSchema,
  judgeProbePlanSchema,
  judgeProbeResultsSchema,
  type JudgeProbe,
  type JudgeProbeAnswer,
  type JudgeProbePlan,
  type JudgeProbeResults,
  judgeProbeSchema,
} from '../../contract/index.ts';
import { attestedText, CONTRADICTS, recordsSha256 } from '../audit-log/digests.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import { checkedRecord, execute, immediately, readAll, reader, readOne, sql } from '../sql.ts';

type ProbeRow = { plan: string; results: string | null };
const asProbe = reader('judge probe', judgeProbeSchema, (row: ProbeRow) => ({
  ...row,
  plan: JSON.parse(row.plan),
  results: row.results === null ? null : JSON.parse(row.results),
}));
const PROBE = sql`id, created_at AS createdAt, model, plan, plan_sha256 AS planSha256, results, finished_at AS finishedAt`;

const selectProbe = (db: Database, id: string): JudgeProbe | null =>
  readOne(db, asProbe, sql`SELECT ${PROBE} FROM judge_probes WHERE id = ${id}`);

function insertProbe(db: Database, { id, createdAt, model, plan, planSha256 }: JudgeProbe): void {
  execute(
    db,
    sql`
    INSERT INTO judge_probes (id, created_at, model, model_sha256, plan, plan_sha256, results, finished_at)
    VALUES (${id}, ${createdAt}, ${model}, ${plan.modelSha256}, ${JSON.stringify(plan)}, ${planSha256}, NULL, NULL)`,
  );
}

const asAnswer = reader('answer of a judge probe', judgeProbeAnswerSchema, (row: { answer: string }) =>
  JSON.parse(row.answer),
);

/** In the order of passes and items. */
const selectProbeAnswers = (db: Database, id: string): JudgeProbeAnswer[] =>
  readAll(
    db,
    asAnswer,
    sql`SELECT answer FROM judge_probe_answers WHERE probe_id = ${id} ORDER BY pass, ordinal`,
  );

function insertProbeAnswer(db: Database, id: string, answer: JudgeProbeAnswer): void {
  execute(
    db,
    sql`
    INSERT INTO judge_probe_answers (probe_id, pass, ordinal, answer)
    VALUES (${id}, ${answer.pass}, ${answer.ordinal}, ${JSON.stringify(answer)})`,
  );
}

const answerSha256 = (answer: JudgeProbeAnswer): string =>
  recordsSha256('anchor-judge-probe-answer-v1', [answer]);
/** Attested by the `probe.begun` event. */
const probePlanSha256 = (plan: JudgeProbePlan): string => recordsSha256('anchor-judge-probe-v1', [plan]);
/** Attested by the `probe.finished` event: the figures and every answer behind them. */
const outcomeSha256 = (results: JudgeProbeResults, answers: readonly JudgeProbeAnswer[]): string =>
  recordsSha256('anchor-judge-probe-outcome-v1', [results, ...answers]);

const asColumn = reader('judge probe', z.string(), (row: { sha256: string }) => row.sha256);

/** The plan as it is stored, for comparison with what was attested; `nothing` when it is gone. @param whole with model and time, which first events left out */
export function probeAsStored(db: Database, id: string, whole: boolean): string {
  const probe = selectProbe(db, id);
  if (probe === null) return 'nothing';
  const { plan, planSha256, model, createdAt } = probe;
  const model256 = readOne(
    db,
    asColumn,
    sql`SELECT model_sha256 AS sha256 FROM judge_probes WHERE id = ${id}`,
  );
  if (planSha256 !== probePlanSha256(plan) || model256 !== plan.modelSha256) return CONTRADICTS;
  return attestedText(planSha256, whole ? { model, createdAt } : {});
}

/** Attested by the `probe.answered` event, so that an answer of a probe that was cut off is what was answered. */
export function probeAnswerAsStored(db: Database, id: string, pass: string, ordinal: number): string {
  const answer = readOne(
    db,
    asAnswer,
    sql`SELECT answer FROM judge_probe_answers WHERE probe_id = ${id} AND pass = ${pass} AND ordinal = ${ordinal}`,
  );
  return answer === null ? 'nothing' : answerSha256(answer);
}

/** Figures and answers of a finished probe as stored; `nothing` while it is open. */
export function probeOutcomeAsStored(db: Database, id: string, whole: boolean): string {
  const probe = selectProbe(db, id);
  if (probe === null || probe.results === null) return 'nothing';
  const { results, finishedAt } = probe;
  return attestedText(outcomeSha256(results, selectProbeAnswers(db, id)), whole ? { finishedAt } : {});
}

/** Probes of judges. */
export function judgeProbeRepository(db: Database, now: Clock) {
  const known = (id: string): JudgeProbe => {
    const probe = selectProbe(db, id);
    if (probe === null) throw new Failure('badRecord', `There is no probe "${id}" in this lab.`);
    return probe;
  };
  return {
    /** The probe of this plan, begun where there is none yet. */
    beginJudgeProbe(model: string, plan: JudgeProbePlan): JudgeProbe {
      return immediately(db, () => {
        const checked = checkedRecord(judgeProbePlanSchema, plan, `plan of a probe of "${model}"`);
        const planSha256 = probePlanSha256(checked);
        const found = readOne(
          db,
          asProbe,
          sql`SELECT ${PROBE} FROM judge_probes WHERE plan_sha256 = ${planSha256}`,
        );
        if (found !== null) return found;
        const probe: JudgeProbe = {
          id: `probe-${planSha256.slice(0, 16)}`,
          createdAt: now().toISOString(),
          model,
          plan: checked,
          planSha256,
          results: null,
          finishedAt: null,
        };
        insertProbe(db, probe);
        appendToChain(db, now, null, 'probe.begun', {
          id: probe.id,
          model,
          modelSha256: plan.modelSha256,
          sha256: planSha256,
          createdAt: probe.createdAt,
        });
        return probe;
      });
    },
    /** In the order of passes and items. */
    listJudgeProbeAnswers(id: string): JudgeProbeAnswer[] {
      return selectProbeAnswers(db, id);
    },
    /** Keeps one answer for good. @throws Failure `badRecord` for a probe that is finished or unknown */
    putJudgeProbeAnswer(id: string, answer: JudgeProbeAnswer): void {
      const checked = checkedRecord(judgeProbeAnswerSchema, answer, `answer of probe "${id}"`);
      immediately(db, () => {
        if (known(id).results !== null)
          throw new Failure('badRecord', `The probe "${id}" is finished and takes no more answers.`);
        insertProbeAnswer(db, id, checked);
        const { pass, ordinal } = checked;
        appendToChain(db, now, null, 'probe.answered', { id, pass, ordinal, sha256: answerSha256(checked) });
      });
    },
    /** Closes the probe with its figures. */
    finishJudgeProbe(id: string, results: JudgeProbeResults): JudgeProbe {
      const checked = checkedRecord(judgeProbeResultsSchema, results, `results of probe "${id}"`);
      return immediately(db, () => {
        known(id);
        const finishedAt = now().toISOString();
        execute(
          db,
          sql`UPDATE judge_probes SET results = ${JSON.stringify(checked)}, finished_at = ${finishedAt} WHERE id = ${id}`,
        );
        const sha256 = outcomeSha256(checked, selectProbeAnswers(db, id));
        appendToChain(db, now, null, 'probe.finished', { id, sha256, finishedAt });
        return known(id);
      });
    },
    /** Newest first. */
    listJudgeProbes(): JudgeProbe[] {
      return readAll(db, asProbe, sql`SELECT ${PROBE} FROM judge_probes ORDER BY created_at DESC, id DESC`);
    },
    /** The probe of these very files that was finished last; null where there is none. */
    lastJudgeProbe(modelSha256: string): JudgeProbe | null {
      return readOne(
        db,
        asProbe,
        sql`SELECT ${PROBE} FROM judge_probes WHERE model_sha256 = ${modelSha256} AND finished_at IS NOT NULL
          ORDER BY finished_at DESC, id DESC LIMIT 1`,
      );
    },
  };
}
