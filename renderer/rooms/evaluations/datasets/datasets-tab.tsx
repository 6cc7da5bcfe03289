import type { DatasetEntry, DatasetKind } from '../../../../electron/contract/index.ts';
import {
  api,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useSideQuery,
  useJobs,
} from '../../../data/index.ts';
import {
  Button,
  EmptyState,
  FolderBrowser,
  QueryState,
  Text,
  Title,
  useRoomNavigate,
  Quiet,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { useReviewerName, type ChangeSearch, type EvaluationsSearch } from '../page-state.ts';
import { DatasetDetail } from './dataset-detail.tsx';
import { DatasetTable, KindTable } from './dataset-tables.tsx';
import { PathInspection } from './dataset-import.tsx';
import { PathForm } from './path-form.tsx';

const PREVIEW_ROWS = 5;

/** The sets that suites and judges are measured on, and how they come in. */
export function DatasetsTab({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const { path, folder, dataset: selected = null } = search;
  const kinds = useSideQuery('datasets.kinds', api.datasets.kinds, undefined);
  const list = useApiQuery('datasets.list', api.datasets.list, undefined);
  const inspection = useApiQuery(
    'datasets.look',
    api.datasets.look,
    { path: path ?? '' },
    { enabled: path !== undefined, keep: false },
  );
  const select = (name: string): void => onChange({ dataset: name });
  return (
    <QueryState read={list} problemOf={readableFailure}>
      {(datasets) => {
        const dataset = datasets.find(({ name }) => name === selected);
        const kind = (kinds.data ?? []).find(({ name }) => name === selected);
        return (
          <div className="evaluations-split">
            <div className="evaluations-main evaluations-padded">
              <PathForm
                key={path ?? ''}
                path={path ?? ''}
                title={t('evaluations.datasets.where')}
                text={t('evaluations.path.text')}
                action={t('evaluations.path.look')}
                onPath={(next) => onChange({ path: next })}
                onBrowse={() => onChange({ folder: '' })}
              />
              {folder !== undefined && (
                <Folders
                  folder={folder}
                  onFolder={(next) => onChange({ folder: next })}
                  onTake={(next) => onChange({ path: next, folder: undefined })}
                />
              )}
              {path !== undefined && (
                <QueryState read={inspection} problemOf={readableFailure}>
                  {(found) => (
                    <PathInspection
                      key={found.path}
                      inspection={found}
                      onClose={() => onChange({ path: undefined })}
                      onImported={(name) => onChange({ path: undefined, dataset: name })}
                    />
                  )}
                </QueryState>
              )}
              {datasets.length > 0 && (
                <section>
                  <Title order={2} mb={6}>
                    {t('evaluations.datasets.title', { n: datasets.length })}
                  </Title>
                  {dataset === undefined && kind === undefined && (
                    <Quiet mb={6}>{t('evaluations.datasets.none')}</Quiet>
                  )}
                  <DatasetTable datasets={datasets} selected={selected} onSelect={select} />
                </section>
              )}
              {datasets.length === 0 && path === undefined && (
                <EmptyState
                  title={t('evaluations.datasets.empty.title')}
                  text={t('evaluations.datasets.empty.text')}
                >
                  <Button variant="default" onClick={() => navigate('/library/bring')}>
                    {t('evaluations.datasets.bring')}
                  </Button>
                  <Button variant="default" onClick={() => onChange({ tab: 'suites' })}>
                    {t('evaluations.datasets.bundled')}
                  </Button>
                </EmptyState>
              )}
              {kinds.data !== undefined && (
                <section>
                  <Title order={2} mb={6}>
                    {t('evaluations.kinds.title')}
                  </Title>
                  <KindTable kinds={kinds.data} selected={selected} onSelect={select} />
                </section>
              )}
            </div>
            {(dataset !== undefined || kind !== undefined) && (
              <aside className="evaluations-inspector" aria-label={t('evaluations.datasets.detail')}>
                {dataset !== undefined ? (
                  <SelectedSet dataset={dataset} onGone={() => onChange({ dataset: undefined })} />
                ) : (
                  kind !== undefined && <SelectedKind kind={kind} />
                )}
              </aside>
            )}
          </div>
        );
      }}
    </QueryState>
  );
}

/** The folders of this machine, from the home folder on. */
function Folders({
  folder,
  onFolder,
  onTake,
}: {
  folder: string;
  onFolder: (path: string) => void;
  onTake: (path: string) => void;
}) {
  const places = useApiQuery('library.places', api.library.places, undefined);
  const shown = folder === '' ? (places.data?.[0]?.path ?? '') : folder;
  const listing = useApiQuery(
    'library.folder',
    api.library.folder,
    { path: shown },
    { enabled: shown !== '' },
  );
  return (
    <QueryState read={places} problemOf={readableFailure}>
      {(found) => (
        <FolderBrowser
          places={found}
          folder={shown}
          listing={listing}
          problemOf={readableFailure}
          onFolder={onFolder}
          onTake={onTake}
        />
      )}
    </QueryState>
  );
}

/** A set of the lab. */
function SelectedSet({ dataset, onGone }: { dataset: DatasetEntry; onGone: () => void }) {
  const { name: reviewer, setName: setReviewer } = useReviewerName();
  const preview = useSideQuery(
    'datasets.preview',
    api.datasets.preview,
    { name: dataset.name, limit: PREVIEW_ROWS },
    { enabled: dataset.state === 'ready', keep: false },
  );
  const acknowledge = useApiMutation(api.datasets.acknowledge, { invalidates: ['datasets', 'evaluations'] });
  const verify = useApiMutation(api.datasets.verify, { invalidates: ['jobs'] });
  const compare = useApiMutation(api.datasets.contamination, { invalidates: ['jobs'] });
  const comparison = useJobs(['contamination']).find(({ id }) => id === compare.data?.id);
  const overlap = useSideQuery(
    'datasets.contaminationReport',
    api.datasets.contaminationReport,
    { jobId: comparison?.id ?? '-' },
    { enabled: comparison?.state === 'done', keep: false },
  );
  const remove = useApiMutation(api.datasets.remove, { invalidates: ['datasets', 'evaluations'] });
  return (
    <DatasetDetail
      key={dataset.name}
      dataset={dataset}
      preview={preview.data ?? null}
      reviewer={reviewer}
      onReviewer={setReviewer}
      isBusy={acknowledge.isPending}
      onAcknowledge={() => acknowledge.mutate({ name: dataset.name, by: reviewer.trim() })}
      onVerify={() => verify.mutate({ name: dataset.name })}
      isComparing={comparison?.state === 'running'}
      overlap={overlap.data?.dataset === dataset.name ? overlap.data : null}
      onCompare={() => compare.mutate({ name: dataset.name })}
      onRemove={() => remove.mutate({ name: dataset.name }, { onSuccess: onGone })}
    />
  );
}

/** A kind of set that can still be brought. */
function SelectedKind({ kind }: { kind: DatasetKind }) {
  const t = useTranslate();
  return (
    <>
      <Title order={2} mb={6}>
        {kind.title}
      </Title>
      <Text size="sm" mb="sm">
        {kind.source}
      </Text>
      <Text size="sm" mb="sm">
        {t('evaluations.kinds.how')}
      </Text>
      {kind.terms !== null && (
        <Text size="sm" c="var(--warn)">
          {kind.terms.statement}
        </Text>
      )}
    </>
  );
}
