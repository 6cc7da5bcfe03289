import { useTranslate } from '../../../i18n/index.ts';
import { Button, Code, CopyButton, Group, Table, Text, Title, Quiet } from '../../../ui/index.ts';
import { type Fields, shownValue } from '../model/fields.ts';

type ReviewStepProps = {
  fields: Fields;
  changed: readonly string[];
  /** Null while the plan has values to correct. */
  text: { command: string; yaml: string } | null;
  wrong: number;
  problems: readonly { path: string; sentence: string }[];
  onSave: () => void;
};

/** 5. Everything that differs, what would be refused, and the same as a command and as a file. */
export function ReviewStep({ fields, changed, text, wrong, problems, onSave }: ReviewStepProps) {
  const t = useTranslate();
  const none = t('new-run.parameter.none');
  return (
    <>
      {wrong > 0 && (
        <Text c="var(--bad)" role="alert" mb="sm">
          {t('new-run.wrong', { n: wrong })}
        </Text>
      )}
      {problems.length > 0 && (
        <div role="alert" className="plan-refused">
          <Text size="sm" fw={600}>
            {t('new-run.refused')}
          </Text>
          <ul>
            {problems.map(({ path, sentence }) => (
              <li key={path}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {wrong === 0 && problems.length === 0 && (
        <Text mb="sm" c="var(--good)">
          {t('new-run.review.ready')}
        </Text>
      )}
      <Title order={2}>{t('new-run.review.title')}</Title>
      {changed.length === 0 ? (
        <Quiet>{t('new-run.review.same')}</Quiet>
      ) : (
        <Table verticalSpacing={3} fz={13} mb="md" className="numbers">
          <Table.Tbody>
            {changed.map((path) => (
              <Table.Tr key={path}>
                <Table.Th scope="row" fw={400} className="plan-whole">
                  <code>{path}</code>
                </Table.Th>
                <Table.Td fw={600}>{shownValue(fields.value(path), none)}</Table.Td>
                <Table.Td c="var(--quiet)" className="plan-whole">
                  {t('new-run.review.was', { value: shownValue(fields.base(path), none) })}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {text !== null && (
        <>
          <Group justify="space-between" mt="lg" mb={4}>
            <Title order={2}>{t('new-run.review.command')}</Title>
            <CopyButton text={text.command} label={t('new-run.review.copyCommand')} />
          </Group>
          <Code block fz={12.5} className="plan-code">
            {text.command}
          </Code>
          <Group justify="space-between" mt="lg" mb={4}>
            <Title order={2}>{t('new-run.review.yaml')}</Title>
            <Group gap={6}>
              <CopyButton text={text.yaml} label={t('new-run.review.copyYaml')} />
              <Button size="compact-sm" variant="default" onClick={onSave}>
                {t('new-run.review.save')}
              </Button>
            </Group>
          </Group>
          <Code block fz={12.5} className="plan-code">
            {text.yaml}
          </Code>
        </>
      )}
    </>
  );
}
