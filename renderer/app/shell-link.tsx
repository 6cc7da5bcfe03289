import { useEffect, useState, type ReactNode } from 'react';
import type { EngineState } from '../../electron/contract/index.ts';
import { useCommands } from '../commands/index.ts';
import { bridge } from '../data/index.ts';
import { Banner, Button } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';

const SETTLE_MS = 100; // a page that opens adds its commands one by one

// Once per window, outside of any component: what the menu says would be done as often as it was listened for.
bridge?.onCommand((id) =>
  useCommands
    .getState()
    .commands.findLast((command) => command.id === id)
    ?.run(),
);

/**
 * Keeps the desktop's menu as the window is: its commands, run by choosing them. `children` say how the connection stands; where
 * the shell knows more of it, it says that instead. In a browser tab there are only the children.
 */
export function ShellLink({ children }: { children: ReactNode }) {
  const commands = useCommands((state) => state.commands);
  useEffect(() => {
    if (bridge === null) return;
    const timer = window.setTimeout(
      () => bridge?.offerCommands(commands.map(({ id, title, keys, group }) => ({ id, title, keys, group }))),
      SETTLE_MS,
    );
    return () => window.clearTimeout(timer);
  }, [commands]);
  return bridge === null ? children : <EngineBanner>{children}</EngineBanner>;
}

/** What the shell knows of the engine's process and the page cannot: that it died, is started again, or cannot be started. */
function EngineBanner({ children }: { children: ReactNode }) {
  const t = useTranslate();
  const [engine, setEngine] = useState<EngineState | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  useEffect(() => bridge?.onEngineState(setEngine), []);
  if (engine?.sentence == null || engine.sentence === closed) return children;
  const { state, sentence } = engine;
  if (state === 'failed')
    return (
      <Banner
        tone="bad"
        action={
          <Button size="compact-sm" variant="default" onClick={() => bridge?.restartEngine()}>
            {t('common.retry')}
          </Button>
        }
      >
        {sentence}
      </Banner>
    );
  if (state === 'restarting') return <Banner tone="warn">{sentence}</Banner>;
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button size="compact-sm" variant="default" onClick={() => setClosed(sentence)}>
            {t('common.close')}
          </Button>
        }
      >
        {sentence}
      </Banner>
      {children}
    </>
  );
}
