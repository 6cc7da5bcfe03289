import { ChartColumnIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { EvaluationsPage } from './page.tsx';

export const evaluationsRoom: Room = {
  id: 'evaluations',
  rail: { title: 'evaluations.rail', icon: ChartColumnIcon, order: 5, goKey: 'e', path: '/evaluations' },
  pages: [{ path: '/evaluations', title: 'evaluations.title', component: EvaluationsPage }],
};
