import { usePathChoice } from '../../data/index.ts';
import { Button, Group, Stack, Text, TextInput, Title, Quiet } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';

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
