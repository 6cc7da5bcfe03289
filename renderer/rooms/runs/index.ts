import { LayoutListIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { ComparePage } from './compare/compare-page.tsx';
import { RunsPage } from './runs-page.tsx';

export const runsRoom: Room = {
  id: 'runs',
  rail: { title: 'runs.rail', icon: LayoutListIcon, order: 1, goKey: 'r', path: '/runs' },
  pages: [
    { path: '/runs', title: 'runs.title', component: RunsPage },
    { path: '/runs/compare', title: 'compare.title', component: ComparePage },
  ],
};
