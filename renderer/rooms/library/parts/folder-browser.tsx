import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { bytesText, Button, Group, QueryState, Stack, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { FolderListing } from '../model.ts';

type Places = { path: string; kind: 'home' | 'drive' }[];

/** Folders as the engine sees them, for a browser tab that has no dialog. Only names and sizes are shown. */
export function FolderBrowser({
  places,
  folder,
  onFolder,
  onTake,
}: {
  places: Places;
  folder: string;
  onFolder: (path: string) => void;
  onTake: (path: string) => void;
}) {
  const t = useTranslate();
  const listing = useApiQuery(
    'library.folder',
    api.library.folder,
    { path: folder },
    { enabled: folder !== '' },
  );
  return (
    <Stack gap="xs">
      <Title order={2}>{t('library.browse')}</Title>
      <Text size="sm" c="var(--quiet)">
        {t('library.browse.text')}
      </Text>
      <Group gap={8}>
        {places.map(({ path, kind }) => (
          <Button
            key={path}
            size="compact-sm"
            variant={folder === path ? 'light' : 'default'}
            onClick={() => onFolder(path)}
          >
            {kind === 'home' ? t('library.browse.home') : path}
          </Button>
        ))}
      </Group>
      <QueryState read={listing} problemOf={readableFailure}>
        {(found) => <FolderView listing={found} onFolder={onFolder} onTake={onTake} />}
      </QueryState>
    </Stack>
  );
}

export function FolderView({
  listing,
  onFolder,
  onTake,
}: {
  listing: FolderListing;
  onFolder: (path: string) => void;
  onTake: (path: string) => void;
}) {
  const t = useTranslate();
  const { path, above, entries, more } = listing;
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
        <Group gap={8} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            disabled={above === null}
            onClick={() => {
              if (above !== null) onFolder(above);
            }}
          >
            {t('library.browse.up')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onTake(path)}>
            {t('library.browse.take')}
          </Button>
        </Group>
      </Group>
      <nav className="library-folder" aria-label={path}>
        <ul>
          {entries.map((entry) => (
            <li key={entry.path}>
              <button
                type="button"
                onClick={() => (entry.isFolder ? onFolder(entry.path) : onTake(entry.path))}
              >
                <span>{entry.isFolder ? `${entry.name}/` : entry.name}</span>
                <span className="numbers">{entry.bytes === null ? '' : bytesText(entry.bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
        {entries.length === 0 && (
          <Text size="sm" c="var(--quiet)" p="sm">
            {t('library.browse.empty')}
          </Text>
        )}
      </nav>
      {more > 0 && (
        <Text size="sm" c="var(--quiet)">
          {t('library.browse.more', { n: more })}
        </Text>
      )}
    </Stack>
  );
}
