import { bindings, useCommands } from '../../commands/index.ts';
import { Kbd, Modal, Table, Text } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';

/** The keys that work now, by group. */
export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useTranslate();
  const commands = [...bindings(useCommands((state) => state.commands)).values()];
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('frame.shortcuts')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text size="sm" c="var(--quiet)" mb="sm">
        {t('frame.shortcuts.text')}
      </Text>
      {groups.map((group) => (
        <Table key={group} mb="md" verticalSpacing={4} captionSide="top">
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
                    {keys
                      ?.replace('$mod', 'Ctrl')
                      .replace('Shift+?', '?')
                      .split(' ')
                      .map((key) => (
                        <Kbd key={key} ms={4}>
                          {key}
                        </Kbd>
                      ))}
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ))}
    </Modal>
  );
}
