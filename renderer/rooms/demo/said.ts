import { api, useSideQuery } from '../../data/index.ts';
import { useTranslate, type Translate } from '../../i18n/index.ts';
import { percentText, type PresenterNotes } from '../../ui/index.ts';
import { PARTS, type Costs, type Pair, type Part, type Story } from './model.ts';
import { trackLabel } from './parts/costs.tsx';

type Told = Pick<Story, 'alone' | 'supervised'>;

/** What the two runs have in common, and what they have not; nothing that their settings do not say. */
export function watchLead(t: Translate, { alone, supervised }: Told): string {
  const isOneSeed = alone.seed === supervised.seed;
  const isOneStart = alone.policySha256 !== null && alone.policySha256 === supervised.policySha256;
  const lead = t('demo.lead.watch', {
    start: isOneStart ? (isOneSeed ? 'all' : 'weights') : isOneSeed ? 'seed' : 'other',
    paid: alone.rewardedShare > 0 && supervised.rewardedShare > 0 ? 'yes' : 'no',
  });
  return supervised.isReviewed && !alone.isReviewed ? `${lead} ${t('demo.lead.watch.supervisor')}` : lead;
}

/** What whoever speaks says while the runs are watched; null before they are read. */
export function watchNote(t: Translate, story: Told | null, isSample: boolean): string {
  if (story === null) return '';
  const { alone, supervised } = story;
  const isOneShare = alone.rewardedShare > 0 && alone.rewardedShare === supervised.rewardedShare;
  return t('demo.notes.watch', {
    sample: isSample ? 'yes' : 'no',
    lead: watchLead(t, story),
    share: isOneShare ? percentText(alone.rewardedShare, 0) : 'none',
  });
}

/** What whoever speaks says of the price: what came out lower, and how much of the supervisor's time nobody waited for. */
export function costsNote(t: Translate, costs: Costs | null): string {
  if (costs === null) return '';
  const { contrasts, reviewSeconds, hiddenSeconds } = costs;
  const less = contrasts.filter(({ high }) => high < 0);
  const tracks = less.map((contrast) => trackLabel(t, contrast)).join(', ');
  return t('demo.notes.costs', {
    price:
      contrasts.length === 0
        ? t('demo.notes.costs.unasked')
        : t(less.length === 0 ? 'demo.notes.costs.noneLess' : 'demo.notes.costs.less', { tracks }),
    time:
      reviewSeconds > 0
        ? t('demo.notes.costs.time', { hidden: percentText(hiddenSeconds / reviewSeconds, 0) })
        : t('demo.notes.costs.noTime'),
  });
}

/** What to say of a part, and which comes after it; what depends on the runs is read from them. */
export function useNotes(pair: Pair, part: Part, isSample: boolean, isThere: boolean): PresenterNotes {
  const t = useTranslate();
  const story = useSideQuery('runs.story', api.demo.story, pair, { enabled: isThere && part === 'watch' });
  const costs = useSideQuery('evaluations.costs', api.demo.costs, pair, {
    enabled: isThere && part === 'costs',
  });
  const next = PARTS[PARTS.indexOf(part) + 1];
  return {
    title: t(`demo.part.${part}`),
    text:
      part === 'watch'
        ? watchNote(t, story.data ?? null, isSample)
        : part === 'costs'
          ? costsNote(t, costs.data ?? null)
          : t(`demo.notes.${part}`),
    next: next === undefined ? t('demo.notes.last') : t('demo.notes.next', { part: t(`demo.part.${next}`) }),
  };
}
