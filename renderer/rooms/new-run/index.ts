import { CirclePlusIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { NewRunPage } from './new-run-page.tsx';

export const newRunRoom: Room = {
  id: 'new-run',
  rail: { title: 'new-run.rail', icon: CirclePlusIcon, order: 2, goKey: 'n', path: '/new' },
  pages: [{ path: '/new', title: 'new-run.title', component: NewRunPage }],
};
