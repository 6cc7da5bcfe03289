/** A review behind a line; `sinceContext` is the first context that counted it, so it is of the step before. */
export type Cause<R extends { id: string; step: number }> = { sinceContext: number; review: R };
type Summary = {
  batch: string;
  reviewed: number;
  eligible: number;
  points: readonly { issue: string; count: number; reviewIds: readonly string[] }[];
};

/** The reviews of one step that caused or renewed a line. */
export type CauseGroup<R extends { id: string; step: number }> = {
  context: number;
  step: number;
  isFirst: boolean;
  causes: Cause<R>[];
};

/** By step, first cause first. */
export function causeGroups<R extends { id: string; step: number }>(
  causes: readonly Cause<R>[],
): CauseGroup<R>[] {
  return [...Map.groupBy(causes, ({ sinceContext }) => sinceContext).entries()]
    .sort(([a], [b]) => a - b)
    .map(([context, ofContext], index) => ({
      context,
      step: context - 1,
      isFirst: index === 0,
      causes: ofContext,
    }));
}

/** The points of a step's summaries that name one of these reviews: the link between them and the line. */
export function pointsOf(
  summaries: readonly Summary[],
  reviewIds: ReadonlySet<string>,
): { batch: string; reviewed: number; eligible: number; points: { issue: string; count: number }[] }[] {
  return summaries
    .map(({ batch, reviewed, eligible, points }) => ({
      batch,
      reviewed,
      eligible,
      points: points
        .filter((point) => point.reviewIds.some((id) => reviewIds.has(id)))
        .map(({ issue, count }) => ({ issue, count })),
    }))
    .filter(({ points }) => points.length > 0);
}
