import type { Database } from 'better-sqlite3';
import { canonicalJson } from '../../core/index.ts';
import { askedAsStored } from '../asked.ts';
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
export type Attestation = { about: string; part: Part; logged: string; stored: () => string };

/** Which rows are spoken of: those of one thing of the lab, of a run itself, or of a run at a step or round. */
export type Part =
  | {
      of: 'evaluations' | 'judge_probes' | 'asked_questions' | 'audits' | 'models' | 'settings';
      id: string;
      ordinal?: number;
    }
  | { of: 'runs'; id: string }
  | { of: 'steps' | 'seed_attempts'; id: string; at: number }
  | { of: 'checkpoints'; id: string; at: number; role: string };

/** Of a `lab.salvaged` event: what a damaged lab lost when it was taken over into a new one. */
export type LabSalvage = {
  /** `about` of what events before it attest and nobody has any more. */
  lost: string[];
  lostRuns: string[];
  /** Ids in the order in which results are told from older ones. */
  evaluations: string[];
};

const overrideOf = (ordinal: number, id: string): string =>
  `override of answer ${ordinal} of evaluation "${id}"`;

const THINGS = {
  evaluation: 'evaluations',
  model: 'models',
  setting: 'settings',
  probe: 'judge_probes',
  asked: 'asked_questions',
  audit: 'audits',
} as const;

/** Evaluations, models and settings belong to the lab; the last event about one of them counts. */
export function ofTheLab(db: Database, kind: string, body: Record<string, unknown>): Attestation | null {
  const said = saidOfTheLab(db, kind, body);
  if (said === null) return null;
  const of = THINGS[kind.split('.', 1)[0] as keyof typeof THINGS];
  const id = (body.id ?? body.name) as string;
  const ordinal =
    kind === 'evaluation.overridden' ? (body.override as { ordinal: number }).ordinal : body.ordinal;
  return {
    ...said,
    part: of === 'evaluations' && ordinal !== undefined ? { of, id, ordinal: ordinal as number } : { of, id },
  };
}

function saidOfTheLab(
  db: Database,
  kind: string,
  body: Record<string, unknown>,
): Omit<Attestation, 'part'> | null {
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
    case 'asked.stored':
      return { about: `asked question "${id}"`, logged, stored: () => askedAsStored(db, id) };
    case 'asked.removed':
      return { about: `asked question "${id}"`, logged: 'nothing', stored: () => askedAsStored(db, id) };
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
  hear(kind: string, { id, evaluations }: { id?: string; evaluations?: string[] }): void {
    if (kind === 'lab.salvaged' && evaluations !== undefined) {
      this.#ids.clear();
      for (const each of evaluations) this.#ids.add(each);
    }
    if (id === undefined) return;
    if (kind === 'evaluation.begun' || kind === 'evaluation.stored') this.#ids.add(id);
    if (kind === 'evaluation.removed') this.#ids.delete(id);
  }
  attestation(db: Database): Attestation {
    return {
      about: 'the order of evaluations',
      part: { of: 'evaluations', id: '' },
      logged: canonicalJson([...this.#ids]),
      stored: () => orderAsStored(db),
    };
  }
}
