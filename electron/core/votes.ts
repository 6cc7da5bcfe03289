/** Answers of one question in classes of equal ones. Answers are named by their place. */
export type AnswerClasses = {
  /** Places of equal answers, in the order in which a class first appears. */
  classes: number[][];
  /** Places that gave no answer: they belong to no class and have no vote. */
  abstained: number[];
  /** The first answer of the biggest class, of equally big ones the one that appears first; null when nobody answered. */
  majority: string | null;
  /** Size of the biggest class over the number of answers, in (0, 1]; null when nobody answered. */
  agreement: number | null;
};

/**
 * Sorts answers into classes as R-Zero's vote does: each one goes into the first class whose first answer it equals, as text or by `same` in
 * either direction, else it begins a class. Equality need not be transitive, so the order of the answers can matter. Otherwise than there an
 * absent answer (null, or nothing but white space) is outside of the vote. @throws what `same` throws.
 */
export async function answerClasses(
  answers: readonly (string | null)[],
  same: (a: string, b: string) => Promise<boolean>,
): Promise<AnswerClasses> {
  const found: { first: string; places: number[] }[] = [];
  const abstained: number[] = [];
  for (const [place, answer] of answers.entries()) {
    if (answer === null || answer.trim() === '') {
      abstained.push(place);
      continue;
    }
    const home = await firstMatch(found, answer, same);
    if (home === undefined) found.push({ first: answer, places: [place] });
    else home.places.push(place);
  }
  const biggest = found.reduce<(typeof found)[number] | null>(
    (best, one) => (best === null || one.places.length > best.places.length ? one : best),
    null,
  );
  return {
    classes: found.map(({ places }) => places),
    abstained,
    majority: biggest?.first ?? null,
    agreement: biggest === null ? null : biggest.places.length / (answers.length - abstained.length),
  };
}

async function firstMatch<T extends { first: string }>(
  found: readonly T[],
  answer: string,
  same: (a: string, b: string) => Promise<boolean>,
): Promise<T | undefined> {
  for (const one of found)
    if (one.first === answer || (await same(answer, one.first)) || (await same(one.first, answer)))
      return one;
  return undefined;
}
