import { z } from 'zod';
import { ASKED_FRAMES, expectationSchema } from '../../../contract/index.ts';
import { MEBIBYTE } from '../rows/row.ts';
import { checked, kept, type KindReader } from './kind.ts';

/** A question of a person's own, as whom the model is asked, and what is expected of the answer. */
export const ownQuestionSchema = z.object({
  id: z.string().min(1).max(200),
  question: z.string().trim().min(1).max(20_000),
  frame: z.enum(ASKED_FRAMES),
  expect: expectationSchema,
});
export type OwnQuestion = z.infer<typeof ownQuestionSchema>;

/** Questions that were kept after a model was asked them, or written by hand in the same form. */
export const ownQuestions: KindReader = {
  name: 'own-questions',
  title: 'Own questions',
  group: 'own',
  use: 'suite',
  source:
    'Questions that were added after asking a model, or a file of lines with id, question, frame and expect.',
  licence: 'your own',
  terms: null,
  hazardous: false,
  official: [],
  formats: ['lines', 'list'],
  dialect: 'strict',
  rowBytes: MEBIBYTE,
  files: 'apart',
  fields: ['id', 'question', 'frame', 'expect'],
  fits: (rows) => rows.every((row) => ownQuestionSchema.safeParse(row).success),
  read: (row) => [kept(checked(ownQuestionSchema, row.value).id, row)],
};
