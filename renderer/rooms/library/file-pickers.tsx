import { usePathChoice, api, readableFailure, useApiQuery } from '../../data/index.ts';
import {
  Button,
  Group,
  Stack,
  Text,
  TextInput,
  Title,
  bytesText,
  QueryState,
  Quiet,
  visibleString,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { FolderListing } from './model.ts';

/** Where the files are: typed, chosen in the system's dialog (desktop window), or dropped (desktop window; a browser reveals no paths to a tab). */
export function PathField({ path, onLook }: { path: string; onLook: (path: string) => void }) {
  const t = useTranslate();
  const { text, setText, submit, choose, target, isWithoutPath } = usePathChoice({
    path,
    title: t('library.choose.title'),
    extensions: [],
    onLook,
  });
  return (
    <Stack gap="xs">
      <Title order={2}>{t('library.where')}</Title>
      <Quiet>{t('library.where.text')}</Quiet>
      <form onSubmit={submit}>
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            label={t('library.path.label')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            style={{ flex: 1 }}
            spellCheck={false}
          />
          <Button type="submit" disabled={text.trim() === ''}>
            {t('library.path.look')}
          </Button>
        </Group>
      </form>
      {choose !== null && (
        <Group>
          <Button variant="default" onClick={() => choose('folder')}>
            {t('library.choose.folder')}
          </Button>
          <Button variant="default" onClick={() => choose('file')}>
            {t('library.choose.file')}
          </Button>
        </Group>
      )}
      <div className="library-drop" {...target}>
        {t('library.drop')}
        {isWithoutPath && (
          <Text size="sm" c="var(--warn)" role="status">
            {t('library.drop.noPath')}
          </Text>
        )}
      </div>
    </Stack>
  );
}

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
                <span>{visibleString(entry.isFolder ? `${entry.name}/` : entry.name)}</span>
                <span className="numbers">{entry.bytes === null ? '' : bytesText(entry.bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
        {entries.length === 0 && <Quiet p="sm">{t('library.browse.empty')}</Quiet>}
      </nav>
      {more > 0 && <Quiet>{t('library.browse.more', { n: more })}</Quiet>}
    </Stack>
  );
}
