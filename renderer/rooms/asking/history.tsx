import { api, readableFailure, useApiMutation, useApiPages } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  ConfirmButton,
  ErrorPanel,
  Loading,
  Quiet,
  Text,
  Title,
  When,
  visibleString,
} from '../../ui/index.ts';

/** Questions that were asked before, newest first; one is looked at again, or deleted. */
export function History({
  shown,
  onShow,
  onRemoved,
}: {
  shown: string | null;
  onShow: (id: string, subjects: readonly string[]) => void;
  onRemoved: (id: string) => void;
}) {
  const t = useTranslate();
  const { pages, error, isPending, hasMore, isLoadingMore, more, refetch } = useApiPages(
    'asking.list',
    api.asking.list,
    {
      limit: 50,
    },
  );
  const remove = useApiMutation(api.asking.remove, { invalidates: ['asking'] });
  const rows = (pages ?? []).flatMap((page) => page.rows);
  return (
    <aside className="asking-history" aria-label={t('asking.history')}>
      <Title order={2} size="h5">
        {t('asking.history')}
      </Title>
      {isPending && <Loading />}
      {error != null && <ErrorPanel problem={readableFailure(error)} onRetry={() => void refetch()} />}
      {pages !== undefined && rows.length === 0 && <Quiet size="sm">{t('asking.history.empty')}</Quiet>}
      <ul>
        {rows.map(({ id, question, askedAt, answers }) => (
          <li key={id} data-selected={id === shown}>
            <button
              type="button"
              aria-pressed={id === shown}
              onClick={() =>
                onShow(
                  id,
                  answers.map(({ subject }) => subject.id),
                )
              }
            >
              <Text size="sm" lineClamp={2} component="span">
                {visibleString(question)}
              </Text>
              <Quiet size="xs">
                <When iso={askedAt} /> ·{' '}
                {visibleString(answers.map(({ subject }) => subject.label).join(' | '))}
              </Quiet>
            </button>
            {id === shown && (
              <ConfirmButton
                size="compact-xs"
                label={t('asking.remove')}
                title={t('asking.remove.title')}
                consequence={t('asking.remove.text')}
                confirm={t('asking.remove.confirm')}
                onConfirm={() => remove.mutate({ ids: [id] }, { onSuccess: () => onRemoved(id) })}
              />
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button variant="default" size="compact-sm" loading={isLoadingMore} onClick={more}>
          {t('asking.history.more')}
        </Button>
      )}
    </aside>
  );
}
