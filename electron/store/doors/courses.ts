import type { Database } from 'better-sqlite3';
import type { StoredEvent } from '../../contract/index.ts';
import {
  selectDepartures,
  selectSupports,
  type LineDeparture,
  type LineSupport,
} from '../courses/context-lives.ts';
import { selectEventsOfKind } from '../queries/events.ts';
import {
  selectDecisions,
  selectOutcomes,
  type StepDecisions,
  type StepOutcome,
} from '../courses/outcomes.ts';

/** A run as a course over its steps. */
export function courseDoor(db: Database) {
  return {
    /** Outcomes of trained rollouts by step and role, fromStep … toStep. */
    stepOutcomes(runId: string, fromStep: number, toStep: number): StepOutcome[] {
      return selectOutcomes(db, runId, fromStep, toStep);
    },
    /** Steps that had reviews, in order. */
    stepDecisions(runId: string): StepDecisions[] {
      return selectDecisions(db, runId);
    },
    /** Every line that left the context, with the reason, in order of leaving. */
    lineDepartures(runId: string): LineDeparture[] {
      return selectDepartures(db, runId);
    },
    /** When lines were caused and renewed, and by how many reviews. */
    lineSupports(runId: string): LineSupport[] {
      return selectSupports(db, runId);
    },
    /** Events of one kind about a run, in order. */
    eventsOfKind(runId: string, kind: string): StoredEvent[] {
      return selectEventsOfKind(db, runId, kind);
    },
  };
}
