import type { Lab } from '../../store/index.ts';

/** What tables and comparisons read: of one lab, or of a lab and the recorded sample together. */
export type EvaluationReads = Pick<
  Lab,
  | 'getRun'
  | 'getContext'
  | 'latestCheckpoint'
  | 'getModel'
  | 'getEvaluation'
  | 'listEvaluations'
  | 'getEvaluationItem'
  | 'getEvaluationItemNamed'
  | 'listStoredEvaluations'
  | 'requireStoredEvaluation'
  | 'listEvaluationItemRows'
  | 'countEvaluationItems'
  | 'eachEvaluationItem'
  | 'listGrades'
  | 'listGradesAsGraded'
  | 'listOverrides'
>;

/** Which of two stores has an evaluation; the first where neither has. */
export const storeWith = (lab: Lab, other: Lab | null, id: string): Lab =>
  other !== null && other.listStoredEvaluations({ ids: [id] }).length > 0 ? other : lab;

/** Two stores read as one; ids of the second are not in the first. What is written goes to neither. */
export function joinedReads(lab: Lab, other: Lab | null): EvaluationReads {
  if (other === null) return lab;
  const holding = (id: string): Lab => storeWith(lab, other, id);
  return {
    getRun: (runId) => lab.getRun(runId) ?? other.getRun(runId),
    getContext: (runId, step) => lab.getContext(runId, step) ?? other.getContext(runId, step),
    latestCheckpoint: (runId, role, upTo) =>
      lab.latestCheckpoint(runId, role, upTo) ?? other.latestCheckpoint(runId, role, upTo),
    getModel: (name) => lab.getModel(name),
    getEvaluation: (id) => holding(id).getEvaluation(id),
    getEvaluationItem: (id, ordinal) => holding(id).getEvaluationItem(id, ordinal),
    getEvaluationItemNamed: (id, itemId, sample) => holding(id).getEvaluationItemNamed(id, itemId, sample),
    listEvaluations: (filter) => [...lab.listEvaluations(filter), ...other.listEvaluations(filter)],
    listStoredEvaluations: (filter) => [
      ...lab.listStoredEvaluations(filter),
      ...other.listStoredEvaluations(filter),
    ],
    requireStoredEvaluation: (id) => holding(id).requireStoredEvaluation(id),
    listEvaluationItemRows: (id, filter, page) => holding(id).listEvaluationItemRows(id, filter, page),
    countEvaluationItems: (id, filter) => holding(id).countEvaluationItems(id, filter),
    eachEvaluationItem: (id) => holding(id).eachEvaluationItem(id),
    listGrades: (id) => holding(id).listGrades(id),
    listGradesAsGraded: (id) => holding(id).listGradesAsGraded(id),
    listOverrides: (id) => holding(id).listOverrides(id),
  };
}
