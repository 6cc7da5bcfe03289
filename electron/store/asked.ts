import type { Database } from 'better-sqlite3';
import {
  answerTokensSchema,
  askedQuestionSchema,
  Failure,
  type AnswerToken,
  type AskedQuestion,
} from '../contract/index.ts';
import { recordsSha256 } from './audit-log/digests.ts';
import { appendToChain, type Clock } from './audit-log/events.ts';
import { checkedRecord, execute, immediately, readAll, reader, readOne, sql } from './sql.ts';

const asQuestion = reader('asked question', askedQuestionSchema, (row: { record: string }) =>
  JSON.parse(row.record),
);
const asTokens = reader('tokens of an answer', answerTokensSchema, (row: { tokens: string }) =>
  JSON.parse(row.tokens),
);

/** Attested by the `asked.stored` event. */
const askedSha256 = (question: AskedQuestion, tokens: readonly AnswerToken[][]): string =>
  recordsSha256('anchor-asked-v1', [question, ...tokens]);

const selectAsked = (db: Database, id: string): AskedQuestion | null =>
  readOne(db, asQuestion, sql`SELECT record FROM asked_questions WHERE id = ${id}`);
const selectTokens = (db: Database, id: string): AnswerToken[][] =>
  readOne(db, asTokens, sql`SELECT tokens FROM asked_questions WHERE id = ${id}`) ?? [];

/** A question as it is stored, for comparison with what was attested; `nothing` when it is gone. */
export function askedAsStored(db: Database, id: string): string {
  const question = selectAsked(db, id);
  return question === null ? 'nothing' : askedSha256(question, selectTokens(db, id));
}

/** Questions that were asked of models. */
export function askedRepository(db: Database, now: Clock) {
  return {
    /** Keeps a question for good, until somebody removes it. */
    putAsked(question: AskedQuestion, tokens: readonly AnswerToken[][]): void {
      const checked = checkedRecord(askedQuestionSchema, question, `question "${question.id}"`);
      const kept = checkedRecord(
        answerTokensSchema,
        tokens.map((each) => [...each]),
        `tokens of question "${question.id}"`,
      );
      immediately(db, () => {
        execute(
          db,
          sql`INSERT INTO asked_questions (id, record, tokens)
            VALUES (${checked.id}, ${JSON.stringify(checked)}, ${JSON.stringify(kept)})`,
        );
        appendToChain(db, now, null, 'asked.stored', { id: checked.id, sha256: askedSha256(checked, kept) });
      });
    },
    /** Null where there is none of that name. */
    getAsked(id: string): AskedQuestion | null {
      return selectAsked(db, id);
    },
    /** The tokens of its answers; empty where there is none of that name. */
    askedTokens(id: string): AnswerToken[][] {
      return selectTokens(db, id);
    },
    /** Newest first, those before `before`, which is an id or null. */
    listAsked(before: string | null, limit: number): AskedQuestion[] {
      return readAll(
        db,
        asQuestion,
        before === null
          ? sql`SELECT record FROM asked_questions ORDER BY id DESC LIMIT ${limit}`
          : sql`SELECT record FROM asked_questions WHERE id < ${before} ORDER BY id DESC LIMIT ${limit}`,
      );
    },
    /** @throws Failure `unknownQuestion` (exit code 2). */
    requireAsked(id: string): AskedQuestion {
      return requireAsked(db, id);
    },
    /** @throws Failure `unknownQuestion` (exit code 2). */
    removeAsked(id: string): void {
      immediately(db, () => {
        requireAsked(db, id);
        execute(db, sql`DELETE FROM asked_questions WHERE id = ${id}`);
        appendToChain(db, now, null, 'asked.removed', { id });
      });
    },
  };
}

function requireAsked(db: Database, id: string): AskedQuestion {
  const found = selectAsked(db, id);
  if (found === null)
    throw new Failure(
      'unknownQuestion',
      `There is no question "${id}" in this lab; see those there are in Ask, or with "anchor asked list".`,
      2,
    );
  return found;
}
