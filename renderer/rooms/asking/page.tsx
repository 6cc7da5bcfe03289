import { useState } from 'react';
import { useCommand } from '../../commands/index.ts';
import { api, readableFailure, useApiMutation, useApiQuery, useSideQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Page, QueryState, useRoomSearch } from '../../ui/index.ts';
import { Composer } from './composer.tsx';
import { History } from './history.tsx';
import { useAsk, useReady, useShownQuestion } from './hooks.ts';
import { KeepForm } from './keep-form.tsx';
import {
  askingSearch,
  contextOf,
  FIRST_SETTINGS,
  FIRST_SIDE,
  firstSubjects,
  frameOf,
  type SideSetting,
  type Subject,
} from './model.ts';
import { SideAnswer } from './side.tsx';
import { SideHead } from './side-head.tsx';
import './asking.css';

/** /ask: a question of one's own to any checkpoint or model, two side by side. */
export function AskingPage() {
  const t = useTranslate();
  // Named by the runs: their checkpoints come and go with their steps.
  const subjects = useApiQuery('runs.subjects', api.evaluations.subjects, undefined);
  return (
    <Page title={t('asking.title')} flush>
      <QueryState read={subjects} problemOf={readableFailure}>
        {(all) => <Bench subjects={all} />}
      </QueryState>
    </Page>
  );
}

const NONE: never[] = [];

function Bench({ subjects }: { subjects: readonly Subject[] }) {
  const t = useTranslate();
  const [search, change] = useRoomSearch(askingSearch);
  const [firstLeft, firstRight] = firstSubjects(subjects);
  const left = search.left ?? firstLeft;
  // Somebody who took the second side away has said so.
  const right =
    search.right === '' ? null : (search.right ?? (search.left === undefined ? firstRight : null));
  const asked = right === null ? [left] : [left, right];
  const [settings, setSettings] = useState(FIRST_SETTINGS);
  const [sides, setSides] = useState<readonly SideSetting[]>([FIRST_SIDE, FIRST_SIDE]);
  const [question, setQuestion] = useState('');
  const state = useSideQuery('asking.state', api.asking.state, undefined);
  const { shown, looked, take } = useShownQuestion(search.question ?? null, state);
  const ready = useReady(asked);
  const cancel = useApiMutation(api.asking.cancel);
  const { ask, problem, isPending } = useAsk((open) => {
    take(open);
    setQuestion('');
    change({ left, right: right ?? '', question: open.id });
  });
  const isSame =
    shown !== null &&
    shown.sides.length === asked.length &&
    shown.sides.every(({ subject }, index) => subject.id === asked[index]);
  // A conversation goes on only with those it was led with, and only once it has ended well.
  const goesOn =
    isSame &&
    !shown.isOpen &&
    shown.sides.every(({ answer }) => answer?.finish === 'stop' || answer?.finish === 'length');
  const contexts = asked.map((_, index) => contextOf(sides[index]!));
  const obstacle = contexts.includes(null) ? t('asking.lines.none') : isPending ? t('asking.sending') : null;
  const isOpen = shown?.isOpen === true;
  const group = t('asking.title');
  const stop = (): void => {
    if (shown !== null) cancel.mutate({ id: shown.id });
  };
  useCommand({ id: 'asking.cancel', title: t('asking.cancel'), keys: 'Escape', group, run: stop }, isOpen);
  useCommand(
    {
      id: 'asking.new',
      title: t('asking.new'),
      keys: null,
      group,
      run: () => change({ question: undefined }),
    },
    shown !== null,
  );
  const send = (): void =>
    ask({
      question: question.trim(),
      sides: asked.map((subject, index) => ({
        subject,
        frame: frameOf(subject, sides[index]!),
        context: contexts[index]!,
      })),
      settings,
      after: goesOn ? shown.id : null,
    });
  const [busy] = state.data?.atWork ?? NONE;
  return (
    <div className="asking">
      <div className="asking-main">
        {busy !== undefined && <Banner>{t('asking.atWork', { name: busy.name })}</Banner>}
        {shown?.problem != null && <Banner tone="bad">{shown.problem}</Banner>}
        <div className="asking-sides" data-sides={asked.length}>
          {asked.map((subject, index) => {
            const side = isSame ? shown.sides[index] : undefined;
            return (
              <div key={index} className="asking-side">
                <SideHead
                  name={t(index === 0 ? 'asking.left' : 'asking.right')}
                  subjects={subjects}
                  subject={subject}
                  setting={sides[index]!}
                  ready={ready[subject] ?? 'loading'}
                  onSubject={(id) =>
                    change({
                      left,
                      right: right ?? '',
                      [index === 0 ? 'left' : 'right']: id,
                      question: undefined,
                    })
                  }
                  onSetting={(setting) => setSides(sides.map((each, at) => (at === index ? setting : each)))}
                  onRemove={index === 0 ? null : () => change({ left, right: '', question: undefined })}
                />
                {side !== undefined && <SideAnswer side={side} question={shown!.question} />}
              </div>
            );
          })}
        </div>
        {right === null && (
          <div className="asking-add">
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => change({ left, right: firstRight ?? left, question: undefined })}
            >
              {t('asking.two')}
            </Button>
          </div>
        )}
        {shown === null && search.question === undefined && <Nothing title={t('asking.empty')} />}
        {shown === null && search.question !== undefined && (
          <QueryState read={looked} problemOf={readableFailure}>
            {() => <Nothing title={t('asking.gone')} />}
          </QueryState>
        )}
        {shown !== null && !shown.isOpen && (
          <div className="asking-add">
            <KeepForm key={shown.id} question={shown.question} frame={shown.sides[0]!.frame} />
          </div>
        )}
        <Composer
          question={question}
          settings={settings}
          goesOn={goesOn}
          isOpen={isOpen}
          obstacle={obstacle}
          problem={problem}
          onQuestion={setQuestion}
          onSettings={setSettings}
          onAsk={send}
          onCancel={stop}
          onNew={shown === null ? null : () => change({ question: undefined })}
        />
      </div>
      <History
        shown={search.question ?? null}
        onShow={(id, own) => change({ question: id, left: own[0], right: own[1] ?? '' }, { replace: false })}
        onRemoved={(id) => search.question === id && change({ question: undefined })}
      />
    </div>
  );
}

/** Where no question is shown. */
function Nothing({ title }: { title: string }) {
  const t = useTranslate();
  return <EmptyState title={title} text={t('asking.empty.text')} />;
}
