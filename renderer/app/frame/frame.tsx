import { Outlet } from '@tanstack/react-router';
import { useKeys } from '../../commands/index.ts';
import { ApplyPreferences } from '../../rooms/settings/index.ts';
import { TourCommand } from '../../rooms/tour/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { FrameCommands } from './frame-commands.tsx';
import { Notices } from './notices.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { ShellLink } from './shell-link.tsx';
import { StatusStrip } from './status-strip.tsx';

/** The window: rooms at the left, the room in the middle, the state of the lab below. */
export function Frame() {
  const t = useTranslate();
  useKeys();
  return (
    <div className="app-frame">
      <a
        className="app-skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {t('frame.skip')}
      </a>
      <ApplyPreferences />
      <FrameCommands />
      <TourCommand />
      <Rail />
      <main id="content" className="app-content" tabIndex={-1}>
        <ShellLink>
          <ConnectionBanner />
        </ShellLink>
        <Outlet />
      </main>
      <StatusStrip />
      <Palette />
      <Notices />
    </div>
  );
}
