import { useEffect, useState } from 'react';
import { currentConnection, onConnection } from './client.ts';
import { admission } from './sign-in.ts';

/** `out`: the host answers and does not know this window any more. */
export type ConnectionStatus = 'open' | 'connecting' | 'lost' | 'out';

const PATIENCE_MS = 800; // a restarted engine is usually back before anybody noticed
const ASK_EVERY_MS = 5000;

/** How this window stands with the engine. A broken line is told only once it is more than a hiccup. */
export function useConnectionStatus(): ConnectionStatus {
  const [standing, setStanding] = useState<ConnectionStatus>(
    currentConnection() === 'open' ? 'open' : 'connecting',
  );
  useEffect(() => {
    let timer = 0;
    const look = async (): Promise<void> => {
      const isOut = (await admission()) === 'out';
      if (currentConnection() !== 'lost') return;
      setStanding(isOut ? 'out' : 'lost');
      timer = window.setTimeout(() => void look(), ASK_EVERY_MS);
    };
    const hear = (): void => {
      window.clearTimeout(timer);
      if (currentConnection() === 'open') setStanding('open');
      else timer = window.setTimeout(() => void look(), PATIENCE_MS);
    };
    hear();
    const stop = onConnection(hear);
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, []);
  return standing;
}
