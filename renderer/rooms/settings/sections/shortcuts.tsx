import { useCommands } from '../../../commands/index.ts';
import { Group, Kbd, Stack, Table, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const shown = (keys: string): string[] => keys.replace('$mod', 'Ctrl').replace('Shift+?', '?').split(' ');

/** Every command there is now, with its keys. */
export function ShortcutsSection() {
  const t = useTranslate();
  const commands = useCommands((state) => state.commands);
  const groups = [...new Set(commands.map(({ group }) => group))];
  return (
    <Stack gap="lg">
      <Text size="sm" c="var(--quiet)">
        {t('settings.shortcuts.text')}
      </Text>
      {groups.map((group) => (
        <Table
          key={group}
          captionSide="top"
          verticalSpacing={4}
          aria-label={t('settings.shortcuts.table', { group })}
        >
          <Table.Caption ta="start" fw={600}>
            {group}
          </Table.Caption>
          <Table.Tbody>
            {commands
              .filter((command) => command.group === group)
              .map(({ id, title, keys }) => (
                <Table.Tr key={id}>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td ta="end">
                    {keys === null ? (
                      <Text size="xs" c="var(--quiet)">
                        {t('settings.shortcuts.none')}
                      </Text>
                    ) : (
                      <Group gap={4} justify="flex-end">
                        {shown(keys).map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </Group>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ))}
    </Stack>
  );
}
