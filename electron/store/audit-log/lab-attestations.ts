import type { Database } from 'better-sqlite3';
import { canonicalJson } from '../../core/index.ts';
import { auditAsStored, auditLabelsAsStored, auditOutcomeAsStored } from '../audits/repository.ts';
import { selectModel, selectSetting } from '../catalogue.ts';
import {
  AT_WORK,
  finishedAsStored,
  firstFormAsStored,
  orderAsStored,
  overrideAsStored,
  plannedAsStored,
  stoppedAsStored,
} from '../evaluations/attested.ts';
import { probeAnswerAsStored, probeAsStored, probeOutcomeAsStored } from '../judge-probes/repository.ts';
import { attestedText, modelSha256 } from './digests.ts';

/** What the events say about one thing, and a look at what is stored about it now. Equal texts: it is as it was attested. */
export type Attestation = { about: string; logged: string; stored: () => string };

const overrideOf = (ordinal: number, id: string): string =>
  `override of answer ${ordinal} of evaluation "${id}"`;

/** Evaluations, models and settings belong to the lab; the last event about one of them counts. */
export function ofTheLab(db: Database, kind: string, body: Record<string, unknown>): Attestation | null {
  const logged = (body.recordSha256 ?? body.sha256) as string;
  const digest = <T>(record: T | null, of: (record: T) => string): string =>
    record === null ? 'nothing' : of(record);
  const id = body.id as string;
  const name = body.name as string;
  const { createdAt } = body;
  // Events of earlier programs tell less of a row than there is.
  const saysMore = createdAt !== undefined;
  const finishedAt = body.finishedAt === undefined ? {} : { finishedAt: body.finishedAt };
  switch (kind) {
    case 'evaluation.begun':
      return {
        about: `evaluation "${id}"`,
        logged: attestedText(
          logged,
          saysMore ? { ...AT_WORK, createdAt, planned: body.planned, milliseconds: body.milliseconds } : {},
        ),
        stored: () => plannedAsStored(db, id, saysMore),
      };
    case 'evaluation.stopped':
      return { about: `evaluation "${id}"`, logged, stored: () => stoppedAsStored(db, id) };
    case 'evaluation.stored':
      return {
        about: `evaluation "${id}"`,
        logged,
        stored: () => (body.form === 2 ? finishedAsStored(db, id) : firstFormAsStored(db, id)),
      };
    case 'evaluation.removed':
      return { about: `evaluation "${id}"`, logged: 'nothing', stored: () => plannedAsStored(db, id, false) };
    case 'evaluation.overridden': {
      const { ordinal } = body.override as { ordinal: number };
      return {
        about: overrideOf(ordinal, id),
        logged: canonicalJson(body.override),
        stored: () => overrideAsStored(db, id, ordinal),
      };
    }
    case 'evaluation.overrideWithdrawn':
      return {
        about: overrideOf(body.ordinal as number, id),
        logged: 'nothing',
        stored: () => overrideAsStored(db, id, body.ordinal as number),
      };
    case 'model.stored':
      return { about: `model "${name}"`, logged, stored: () => digest(selectModel(db, name), modelSha256) };
    case 'model.removed':
      return {
        about: `model "${name}"`,
        logged: 'nothing',
        stored: () => digest(selectModel(db, name), modelSha256),
      };
    case 'setting.stored':
      return {
        about: `setting "${name}"`,
        logged: canonicalJson(body.value),
        stored: () => canonicalJson(selectSetting(db, name)),
      };
    case 'probe.begun':
      return {
        about: `judge probe "${id}"`,
        logged: attestedText(logged, saysMore ? { model: body.model, createdAt } : {}),
        stored: () => probeAsStored(db, id, saysMore),
      };
    case 'probe.answered':
      return {
        about: `answer ${String(body.ordinal)} (${String(body.pass)}) of judge probe "${id}"`,
        logged,
        stored: () => probeAnswerAsStored(db, id, body.pass as string, body.ordinal as number),
      };
    case 'probe.finished':
      return {
        about: `results of judge probe "${id}"`,
        logged: attestedText(logged, finishedAt),
        stored: () => probeOutcomeAsStored(db, id, 'finishedAt' in finishedAt),
      };
    case 'audit.created':
      return {
        about: `audit "${id}"`,
        logged: attestedText(
          logged,
          saysMore ? { createdAt, runName: body.runName, wanted: body.wanted } : {},
        ),
        stored: () => auditAsStored(db, id, saysMore),
      };
    case 'audit.deleted':
      return { about: `audit "${id}"`, logged: 'nothing', stored: () => auditAsStored(db, id, false) };
    case 'audit.labelled':
    case 'audit.judge':
      return body.labelsSha256 === undefined
        ? null
        : {
            about: `labels of audit "${id}"`,
            logged: body.labelsSha256 as string,
            stored: () => auditLabelsAsStored(db, id),
          };
    case 'audit.finished':
      return {
        about: `results of audit "${id}"`,
        logged: attestedText(logged, finishedAt),
        stored: () => auditOutcomeAsStored(db, id, 'finishedAt' in finishedAt),
      };
    case 'audit.reopened':
      return {
        about: `results of audit "${id}"`,
        logged: 'nothing',
        stored: () => auditOutcomeAsStored(db, id, false),
      };
    default:
      return null;
  }
}

/** In which order evaluations came about: the newest of a kind is the one that is shown. */
export class EvaluationOrder {
  readonly #ids = new Set<string>();
  hear(kind: string, { id }: { id?: string }): void {
    if (id === undefined) return;
    if (kind === 'evaluation.begun' || kind === 'evaluation.stored') this.#ids.add(id);
    if (kind === 'evaluation.removed') this.#ids.delete(id);
  }
  attestation(db: Database): Attestation {
    return {
      about: 'the order of evaluations',
      logged: canonicalJson([...this.#ids]),
      stored: () => orderAsStored(db),
    };
  }
}
