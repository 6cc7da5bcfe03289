import { PresentationIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { DemoPage } from './demo-page.tsx';
import { NotesPage } from './notes-page.tsx';

export { PLAY_THE_SAMPLE } from './model.ts';
export { SampleFigure } from './sample-figure.tsx';

export const demoRoom: Room = {
  id: 'demo',
  rail: { title: 'demo.rail', icon: PresentationIcon, order: 9, goKey: 'd', path: '/demo' },
  pages: [
    { path: '/demo', title: 'demo.title', component: DemoPage },
    { path: '/demo/notes', title: 'notes.title', component: NotesPage },
  ],
};
