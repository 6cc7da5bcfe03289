import { type RefObject, useEffect, useRef, useState } from 'react';
import { TextInput, Tooltip } from './mantine.ts';

const SETTLE_MS = 180; // typing is searched for when it pauses, not letter by letter

type FilterInputProps = {
  input?: RefObject<HTMLInputElement | null>;
  text: string;
  /** Has to keep its identity while nothing changes; called when typing pauses. */
  onText: (text: string) => void;
  label: string;
  placeholder: string;
  /** Shown to whoever rests on the field. */
  help: string;
};

/** The text that a list is narrowed by. Escape empties the field and leaves it. */
export function FilterInput({ input, text, onText, label, placeholder, help }: FilterInputProps) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  useEffect(() => {
    // Cleared or changed from elsewhere, such as the Back button: what was typed gives way.
    if (text !== sent.current) {
      sent.current = text;
      setTyped(text);
    }
  }, [text]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = window.setTimeout(() => {
      sent.current = typed;
      onText(typed);
    }, SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [typed, onText]);
  return (
    <Tooltip label={help} multiline w={320} position="bottom-start" openDelay={600}>
      <TextInput
        ref={input}
        size="xs"
        value={typed}
        placeholder={placeholder}
        aria-label={label}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            setTyped('');
            event.currentTarget.blur();
          }
        }}
      />
    </Tooltip>
  );
}
