import { useTranslate, visibleString } from '../i18n/index.ts';
import { Button, Group, Stack, Text, Title } from './mantine.ts';
import { QueryState, type Problem, type Read } from './states.tsx';
import { bytesText, Quiet } from './values.tsx';

type Places = readonly { path: string; kind: 'home' | 'drive' }[];

export type FolderListing = {
  path: string;
  /** Null where nothing above is shown. */
  above: string | null;
  entries: readonly { name: string; path: string; isFolder: boolean; bytes: number | null }[];
  /** Entries that are not listed. */
  more: number;
};

type FolderBrowserProps = {
  places: Places;
  folder: string;
  /** The listing of `folder`, and its error in words. */
  listing: Read<FolderListing>;
  problemOf: (error: unknown) => Problem;
  /** Only folders are shown: a file could not be taken. */
  isForFolders?: boolean;
  onFolder: (path: string) => void;
  onTake: (path: string) => void;
};

/** Folders as the engine sees them, for a browser tab that has no dialog. Only names and sizes are shown. */
export function FolderBrowser({
  places,
  folder,
  listing,
  problemOf,
  isForFolders = false,
  onFolder,
  onTake,
}: FolderBrowserProps) {
  const t = useTranslate();
  return (
    <Stack gap="xs">
      <Title order={2}>{t('library.browse')}</Title>
      <Quiet>{t('library.browse.text')}</Quiet>
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
      <QueryState read={listing} problemOf={problemOf}>
        {(found) => (
          <FolderView listing={found} isForFolders={isForFolders} onFolder={onFolder} onTake={onTake} />
        )}
      </QueryState>
    </Stack>
  );
}

export function FolderView({
  listing,
  isForFolders = false,
  onFolder,
  onTake,
}: {
  listing: FolderListing;
  isForFolders?: boolean;
  onFolder: (path: string) => void;
  onTake: (path: string) => void;
}) {
  const t = useTranslate();
  const { path, above, more } = listing;
  const entries = isForFolders ? listing.entries.filter(({ isFolder }) => isFolder) : listing.entries;
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
      <nav className="ui-folder" aria-label={path}>
        <ul>
          {entries.map((entry) => (
            <li key={entry.path}>
              <button
                type="button"
                onClick={() => (entry.isFolder ? onFolder(entry.path) : onTake(entry.path))}
              >
                <span>{visibleString(entry.isFolder ? `${entry.name}/` : entry.name)}</span>
                <span className="numbers">{entry.bytes === null ? '' : bytesText(entry.bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
        {entries.length === 0 && (
          <Quiet p="sm">{t(isForFolders ? 'library.browse.noFolder' : 'library.browse.empty')}</Quiet>
        )}
      </nav>
      {more > 0 && <Quiet>{t('library.browse.more', { n: more })}</Quiet>}
    </Stack>
  );
}
