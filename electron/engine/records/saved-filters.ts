import { z } from 'zod';
import { Failure, savedFilterSchema, type SavedFilter } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';

const SETTING = 'app.records.filters';
/** A menu of more could not be read; the oldest has to be removed by the person who knows which. */
const MOST = 50;

/** Filters of records that a person has named, by name. A setting of another shape, as an older program may have left, counts as none. */
export function savedFilters(store: Lab): SavedFilter[] {
  return z.array(savedFilterSchema).safeParse(store.getSetting(SETTING)).data ?? [];
}

/** Keeps a filter under its name; one of that name is replaced. @throws Failure `tooManyFilters`. */
export function keepFilter(store: Lab, filter: SavedFilter): SavedFilter[] {
  const others = savedFilters(store).filter(({ name }) => name !== filter.name);
  if (others.length >= MOST)
    throw new Failure(
      'tooManyFilters',
      `${MOST} filters are saved already; remove one before you save "${filter.name}".`,
      2,
    );
  const all = [...others, filter].sort((left, right) => (left.name < right.name ? -1 : 1));
  store.setSetting(SETTING, all);
  return all;
}

/** Removes a filter by name; one that is not there needs no removing. */
export function forgetFilter(store: Lab, name: string): SavedFilter[] {
  const left = savedFilters(store).filter((each) => each.name !== name);
  store.setSetting(SETTING, left);
  return left;
}
