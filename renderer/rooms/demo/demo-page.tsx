import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { z } from 'zod';
import { RATED_TASK_TYPES } from '../../../electron/contract/index.ts';
import { useCommand } from '../../commands/index.ts';
import {
  api,
  notify,
  openNotes,
  readableFailure,
  useApiMutation,
  useApiQuery,
  sampleFacts,
  type SampleState,
} from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  EmptyState,
  NativeSelect,
  Page,
  PresenterButtons,
  QueryState,
  useElementSize,
  useRoomNavigate,
  useRoomSearch,
  following,
} from '../../ui/index.ts';
import { QuestionAndAnswers } from './answers.tsx';
import { AskBoth } from './ask-both.tsx';
import { nameOfDemo, PARTS, SAMPLE, type Pair, type Part, type Shown, type Story } from './model.ts';
import { useNotes, watchLead } from './said.ts';
import { CostsPart } from './parts/costs.tsx';
import { WhatIfPart } from './parts/what-if.tsx';
import { WhyPart } from './parts/why.tsx';
import { ReplayBar, SPEED, TrainingBar, useReplay } from './play-bar.tsx';
import { StoryCurves } from './story-curves.tsx';
import './demo.css';

const searchSchema = z.object({
  alone: z.string().optional().catch(undefined),
  supervised: z.string().optional().catch(undefined),
  part: z.enum(PARTS).catch('watch'),
  kind: z.enum(RATED_TASK_TYPES).catch('request'),
  item: z.string().optional().catch(undefined),
  step: z.coerce.number().int().nonnegative().optional().catch(undefined),
  context: z.enum(['on', 'off']).catch('off'),
  present: z.boolean().catch(false),
  /** Begins the recording anew; taken out of the address once it has. */
  play: z.boolean().catch(false),
});
type Search = z.output<typeof searchSchema>;
type Change = ReturnType<typeof useRoomSearch<typeof searchSchema>>[1];

/** /demo: two runs from the same weights and seed, one of them supervised, from their parting to its cause and its price. */
export function DemoPage() {
  const t = useTranslate();
  const [search, change] = useRoomSearch(searchSchema);
  const pairs = useApiQuery('runs.demoPairs', api.demo.pairs, undefined);
  const sample = useApiQuery('tour.state', api.tour.state, undefined);
  const { alone, supervised, part, present } = search;
  const pair: Pair =
    alone !== undefined && supervised !== undefined
      ? { alone, supervised }
      : runsOf(pairs.data?.[0] ?? SAMPLE);
  const isSample = pair.supervised === SAMPLE.supervised;
  usePresenterKeys(part, present, change);
  usePlayed(isSample && search.play, change);
  const notes = useNotes(pair, part, isSample, !isSample || sample.data?.playing != null);
  return (
    <Page
      title={t('demo.title')}
      flush
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label={t('demo.which')}
            value={pair.supervised}
            data={[
              { value: SAMPLE.supervised, label: t('demo.which.sample') },
              ...(pairs.data ?? []).map((each) => ({
                value: each.supervised,
                label: nameOfDemo(t, each),
              })),
              ...(isSample || pairs.data?.some(({ supervised: of }) => of === pair.supervised) !== false
                ? []
                : [{ value: pair.supervised, label: t('demo.which.other') }]),
            ]}
            onChange={({ currentTarget: { value } }) =>
              change({
                ...runsOf(
                  [SAMPLE, pair, ...(pairs.data ?? [])].find((each) => each.supervised === value) ?? SAMPLE,
                ),
                step: undefined,
                item: undefined,
              })
            }
          />
          <PresenterButtons
            present={present}
            onPresent={(next) => change({ present: next ? true : undefined })}
            notes={notes}
            onNotes={() => {
              if (!openNotes()) notify(t('notes.refused'), 'bad');
            }}
          />
        </>
      }
    >
      <QueryState read={following(pairs, sample)} problemOf={readableFailure}>
        {(state) =>
          isSample && state.playing === null ? (
            <Closed sample={state} />
          ) : (
            <Told pair={pair} sample={isSample ? state : null} search={search} change={change} />
          )
        }
      </QueryState>
    </Page>
  );
}

/** What the address and the engine name a demo by, apart from what it is called. */
const runsOf = ({ alone, supervised }: Pair): Pair => ({ alone, supervised });

/** Arrow keys go through the parts while it is presented, Escape ends it. */
function usePresenterKeys(part: Part, present: boolean, change: Change): void {
  const t = useTranslate();
  const group = t('demo.title');
  const goBy = (by: number): void => {
    const next = PARTS[PARTS.indexOf(part) + by];
    if (next !== undefined) change({ part: next });
  };
  useCommand(
    { id: 'demo.next', title: t('demo.next'), keys: 'ArrowRight', group, run: () => goBy(1) },
    present,
  );
  useCommand(
    { id: 'demo.back', title: t('demo.back'), keys: 'ArrowLeft', group, run: () => goBy(-1) },
    present,
  );
  useCommand(
    {
      id: 'demo.leave',
      title: t('present.leave'),
      keys: 'Escape',
      group,
      run: () => change({ present: undefined }),
    },
    present,
  );
  useCommand({
    id: 'demo.present',
    title: t('present'),
    keys: 'p',
    group,
    run: () => change({ present: present ? undefined : true }),
  });
}

/** Whoever came to see the recording play sees it play. */
function usePlayed(isWanted: boolean, change: Change): void {
  const { replay } = useReplay();
  const begin = useEffectEvent(() => {
    change({ play: undefined });
    replay();
  });
  useEffect(() => {
    if (isWanted) begin();
  }, [isWanted]);
}

/** Before the sample is opened: what it is, and one press to see it. */
function Closed({ sample }: { sample: SampleState }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const play = useApiMutation(api.tour.play, { invalidates: ['tour'] });
  const open = useApiMutation(api.tour.open, { invalidates: ['tour', 'runs'] });
  const text = t('demo.closed.text', sampleFacts(sample));
  return (
    <EmptyState title={t('demo.closed.title')} text={text}>
      <Button
        loading={open.isPending || play.isPending}
        onClick={() => open.mutate(undefined, { onSuccess: () => play.mutate({ speed: Number(SPEED) }) })}
      >
        {t('demo.play')}
      </Button>
      <Button variant="default" onClick={() => navigate('/tour')}>
        {t('demo.closed.tour')}
      </Button>
    </EmptyState>
  );
}

/** Of a figure in pixels before the page is laid out. */
const HEIGHT = 118;

type ToldProps = {
  pair: Pair;
  sample: SampleState | null;
  search: Search;
  change: Change;
};

function Told(props: ToldProps) {
  const story = useApiQuery('runs.story', api.demo.story, props.pair);
  return (
    <QueryState read={story} problemOf={readableFailure}>
      {(found) => <Parts {...props} story={found} />}
    </QueryState>
  );
}

function Parts({ pair, sample, search, change, story }: ToldProps & { story: Story }) {
  const t = useTranslate();
  const { part, kind, item, step, context, present } = search;
  // The style says how high a figure is: it knows how much room a larger text leaves.
  const { ref: measure, height } = useElementSize();
  const track = story.tracks.find((one) => one.kind === kind);
  const shown: Shown = {
    pair,
    story,
    kind,
    suite: track?.suite ?? '',
    item: item ?? null,
    step: step ?? null,
    withContext: context === 'on',
  };
  return (
    <div className="demo" data-present={present}>
      <nav className="demo-parts" aria-label={t('demo.parts')}>
        {PARTS.map((each, place) => (
          <button
            key={each}
            type="button"
            aria-current={each === part ? 'step' : undefined}
            onClick={() => change({ part: each }, { replace: false })}
          >
            <span aria-hidden>{place + 1}</span> {t(`demo.part.${each}`)}
          </button>
        ))}
        <span className="ui-spring" />
        <NativeSelect
          size="xs"
          aria-label={t('demo.kind')}
          value={kind}
          data={story.tracks.flatMap((one) =>
            one.kind === null ? [] : [{ value: one.kind, label: t(`demo.track.${one.kind}`) }],
          )}
          onChange={({ currentTarget: { value } }) =>
            change({ kind: value as Shown['kind'], item: undefined })
          }
        />
      </nav>
      {/* The part scrolls by itself, so the keyboard has to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="demo-body" tabIndex={0} aria-label={t(`demo.part.${part}`)}>
        <div ref={measure} className="demo-figure-height" aria-hidden />
        {/* Presented, the room goes to what is shown; whoever speaks says it. */}
        {!(present && part === 'watch') && (
          <p className="demo-lead">{part === 'watch' ? watchLead(t, story) : t(`demo.lead.${part}`)}</p>
        )}
        {part === 'watch' && (
          <>
            {sample === null ? <TrainingBar story={story} /> : <ReplayBar sample={sample} />}
            <StoryCurves
              pair={pair}
              tracks={story.tracks}
              step={shown.step}
              withContext={shown.withContext}
              height={height || HEIGHT}
            />
            <QuestionAndAnswers
              {...shown}
              onItem={(next) => change({ item: next })}
              onStep={(next) => change({ step: next ?? undefined })}
              onContext={(on) => change({ context: on ? 'on' : undefined })}
            />
          </>
        )}
        {part === 'why' && <WhyPart {...shown} />}
        {part === 'what-if' && <WhatIfPart {...shown} />}
        {part === 'costs' && <CostsPart pair={pair} isSample={sample !== null} present={present} />}
      </section>
      <Foot part={part} change={change}>
        <AskBoth story={story} isSample={sample !== null} />
      </Foot>
    </div>
  );
}

/** The way on and back, and what else there is to do between them. */
function Foot({ part, change, children }: { part: Part; change: Change; children: ReactNode }) {
  const t = useTranslate();
  const place = PARTS.indexOf(part);
  const go = (by: number): void => change({ part: PARTS[place + by] ?? part }, { replace: false });
  return (
    <footer className="demo-foot">
      <Button variant="default" disabled={place === 0} onClick={() => go(-1)}>
        {t('demo.back')}
      </Button>
      {children}
      <Button disabled={place === PARTS.length - 1} onClick={() => go(1)}>
        {place === PARTS.length - 1
          ? t('demo.end')
          : t('demo.on', { part: t(`demo.part.${PARTS[place + 1] as Part}`) })}
      </Button>
    </footer>
  );
}
