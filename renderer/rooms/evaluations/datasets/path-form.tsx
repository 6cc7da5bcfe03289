import { usePathChoice } from '../../../data/index.ts';
import { Button, Group, Text, TextInput } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const EXTENSIONS = ['jsonl', 'json', 'csv', 'gz', 'zip', 'parquet'];

type PathFormProps = {
  path: string;
  title: string;
  /** Which files are meant. */ text: string;
  /** What the button says. */ action: string;
  onPath: (path: string) => void;
  /** Looks through folders in the window; where the system has no dialog for it. */ onBrowse?: () => void;
};

/** Where a set lies: typed, chosen in the system's dialog or dropped; a tab of a browser does not learn the path of a dropped file. */
export function PathForm({ path, title, text: description, action, onPath, onBrowse }: PathFormProps) {
  const t = useTranslate();
  const { text, setText, submit, choose, target, isWithoutPath } = usePathChoice({
    path,
    title,
    extensions: EXTENSIONS,
    onLook: onPath,
  });
  return (
    <div className="evaluations-drop" {...target}>
      <form onSubmit={submit}>
        <Group align="flex-end" wrap="nowrap" gap="sm">
          <TextInput
            style={{ flex: 1 }}
            size="sm"
            label={title}
            description={description}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {choose !== null && (
            <Button variant="default" onClick={() => choose('folder')}>
              {t('evaluations.path.folder')}
            </Button>
          )}
          {choose !== null && (
            <Button variant="default" onClick={() => choose('file')}>
              {t('evaluations.path.file')}
            </Button>
          )}
          {choose === null && onBrowse !== undefined && (
            <Button variant="default" onClick={onBrowse}>
              {t('evaluations.path.browse')}
            </Button>
          )}
          <Button type="submit" disabled={text.trim() === ''}>
            {action}
          </Button>
        </Group>
      </form>
      {isWithoutPath && (
        <Text size="sm" c="var(--warn)" role="status" mt={6}>
          {t('evaluations.path.tab')}
        </Text>
      )}
    </div>
  );
}
