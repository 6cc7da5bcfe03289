import type { FunctionComponent } from 'react';
import { z } from 'zod';
import { useCommand } from '../../commands/index.ts';
import { Page, useRoomSearch } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { AboutSection } from './sections/about.tsx';
import { AirGapSection } from './sections/air-gap.tsx';
import { AppearanceSection } from './sections/appearance.tsx';
import { BackupSection } from './sections/backup.tsx';
import { HardwareSection } from './sections/hardware.tsx';
import { ShortcutsSection } from './sections/shortcuts.tsx';
import { StorageSection } from './sections/storage.tsx';
import './settings.css';

const SECTIONS = ['airgap', 'hardware', 'storage', 'backup', 'appearance', 'shortcuts', 'about'] as const;
type Section = (typeof SECTIONS)[number];

const COMPONENTS: Record<Section, FunctionComponent> = {
  airgap: AirGapSection,
  hardware: HardwareSection,
  storage: StorageSection,
  backup: BackupSection,
  appearance: AppearanceSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
};
const searchSchema = z.object({ section: z.enum(SECTIONS).catch('airgap') });

/** /settings: the state of the machine and the lab, and how the window looks. */
export function SettingsPage() {
  const t = useTranslate();
  const [{ section }, change] = useRoomSearch(searchSchema);
  const Shown = COMPONENTS[section];
  return (
    <Page title={t('settings.title')} flush>
      <div className="settings-split">
        <nav className="settings-nav" aria-label={t('settings.sections')}>
          {SECTIONS.map((each) => (
            <SectionButton
              key={each}
              section={each}
              isShown={each === section}
              onShow={() => change({ section: each })}
            />
          ))}
        </nav>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a section of text alone has to be scrolled by keys, too */}
        <section className="settings-body" tabIndex={0} aria-label={t(`settings.section.${section}`)}>
          <div className="settings-column">
            <Shown key={section} />
          </div>
        </section>
      </div>
    </Page>
  );
}

function SectionButton({
  section,
  isShown,
  onShow,
}: {
  section: Section;
  isShown: boolean;
  onShow: () => void;
}) {
  const t = useTranslate();
  const title = t(`settings.section.${section}`);
  useCommand({ id: `settings.${section}`, title, keys: null, group: t('settings.group'), run: onShow });
  return (
    <button type="button" aria-current={isShown} onClick={onShow}>
      {title}
    </button>
  );
}
