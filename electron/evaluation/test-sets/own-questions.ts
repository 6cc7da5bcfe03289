import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, type DatasetEntry, type SuiteDataset } from '../../contract/index.ts';
import { makeFolders, sha256Hex } from '../../core/index.ts';
import { asFileFailure, removeQuietly, TEST_SETS } from '../../library/index.ts';
import { ownQuestionSchema, type OwnQuestion } from '../datasets/kinds/own.ts';
import * as datasets from '../datasets/index.ts';
import { listSuiteDatasets, putSuiteDataset } from '../plan/suite-data.ts';
import { requireName } from './import-test-set.ts';
import { entryOf, type TestSetServices } from './test-sets.ts';

export type NewOwnQuestion = Omit<OwnQuestion, 'id'> & {
  /** Of the set it becomes an item of. */ set: string;
};

/** Named by the program that writes it; those of another process were cut off. */
let written = 0;

/**
 * Adds a question to a set of the person's own, which is made where there is none of that name. What was measured on the set as it was
 * keeps its hash. @throws Failure `badName`, `nameTaken` (exit code 2) for a set of another kind, or a question that is in it already.
 */
export async function addOwnQuestion(
  services: TestSetServices,
  { set, ...question }: NewOwnQuestion,
): Promise<DatasetEntry> {
  const { store, lab, clock } = services;
  const before = listSuiteDatasets(store).find(({ name }) => name === set);
  if (before === undefined) requireName(services, set);
  else if (before.kind !== 'own-questions')
    throw new Failure('nameTaken', `"${set}" is a set of another kind; choose another name.`, 2);
  const rows: OwnQuestion[] = [];
  if (before !== undefined)
    for await (const { line } of datasets.rowsOf(datasets.placeOf(lab.root, before)))
      rows.push(ownQuestionSchema.parse(JSON.parse(line)));
  const id = sha256Hex(JSON.stringify([question.question, question.frame])).slice(0, 12);
  if (rows.some((row) => row.id === id))
    throw new Failure('nameTaken', `"${set}" has this question already.`, 2);
  const at = clock.now().toISOString();
  const folder = join(lab.root, TEST_SETS);
  const unfinished = join(folder, `.import-${process.pid}-own-${(written += 1)}`);
  try {
    makeFolders(unfinished);
    const file = await datasets.writeRows(
      unfinished,
      [...rows, { id, ...question }].map((row) => ({
        id: row.id,
        text: JSON.stringify(row),
        isPython: false,
      })),
    );
    const own = `own-questions-${sha256Hex(`${set}\n${file.sha256}`).slice(0, 16)}`;
    datasets.settle(unfinished, join(folder, own));
    const dataset: SuiteDataset = {
      name: set,
      kind: 'own-questions',
      folder: `${TEST_SETS}/${own}`,
      ...file,
      files: {},
      sources: [
        {
          name: 'questions that were asked',
          bytes: file.bytes,
          sha256: file.sha256,
          rows: file.rows,
          release: null,
        },
      ],
      addedAt: at,
      acknowledgement: null,
    };
    putSuiteDataset(store, dataset);
    if (before !== undefined && before.folder !== dataset.folder)
      removeQuietly(join(lab.root, before.folder));
    services.emit({ kind: 'changed', what: 'datasets', runId: null });
    services.emit({ kind: 'changed', what: 'evaluations', runId: null });
    return entryOf(services, dataset);
  } catch (error) {
    throw asFileFailure(error, 'The set of your own questions');
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
