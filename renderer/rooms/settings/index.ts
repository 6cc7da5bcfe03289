import { SettingsIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { SettingsPage } from './settings-page.tsx';

export { ApplyPreferences } from './appearance.tsx';

export const settingsRoom: Room = {
  id: 'settings',
  rail: { title: 'settings.rail', icon: SettingsIcon, order: 8, goKey: 's', path: '/settings' },
  pages: [{ path: '/settings', title: 'settings.title', component: SettingsPage }],
};
