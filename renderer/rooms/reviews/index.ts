import { UserCheckIcon } from 'lucide-react';
import './reviews.css';
import type { Room } from '../../ui/index.ts';
import { AuditPage } from './audits/audit-page.tsx';
import { AuditsPage } from './audits/audits-page.tsx';
import { LabelsPage } from './labels-page.tsx';
import { LivePage } from './live/live-page.tsx';

export const reviewsRoom: Room = {
  id: 'reviews',
  rail: { title: 'reviews.rail', icon: UserCheckIcon, order: 4, goKey: 'q', path: '/reviews' },
  pages: [
    { path: '/reviews', title: 'reviews.title', component: LivePage },
    { path: '/reviews/audits', title: 'reviews.purpose.audits', component: AuditsPage },
    { path: '/reviews/labels/$runId', title: 'reviews.labels.title', component: LabelsPage },
    { path: '/reviews/audits/$auditId', title: 'reviews.purpose.audits', component: AuditPage },
  ],
};
