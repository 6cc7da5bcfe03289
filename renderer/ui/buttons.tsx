import { CopyButton as Copy } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslate } from '../i18n/index.ts';
import { Button, Group, Modal, Text, TextInput } from './mantine.ts';

/** Copies text and says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = useTranslate();
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="compact-sm" onClick={copy}>
          {copied ? t('common.copied') : (label ?? t('common.copy'))}
        </Button>
      )}
    </Copy>
  );
}

type ConfirmButtonProps = {
  label: string;
  title: string;
  /** Names the consequence: what is deleted, what stays. */
  consequence: ReactNode;
  confirm: string;
  /** For what cannot be made again: the person types this first. */
  typed?: { word: string; label: string };
  onConfirm: () => void;
  disabled?: boolean;
  size?: string;
};

/** A destructive action that says what it destroys before it does. */
export function ConfirmButton({
  label,
  title,
  consequence,
  confirm,
  typed,
  onConfirm,
  disabled = false,
  size = 'sm',
}: ConfirmButtonProps) {
  const t = useTranslate();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const close = (): void => {
    setOpen(false);
    setText('');
  };
  const allowed = typed === undefined || text.trim() === typed.word;
  return (
    <>
      <Button variant="default" size={size} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal
        opened={open}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Text component="div" mb="md">
          {consequence}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={typed.label}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
            mb="md"
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            color="red.9"
            disabled={!allowed}
            onClick={() => {
              close();
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
