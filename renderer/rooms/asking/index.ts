import { MessagesSquareIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { AskingPage } from './page.tsx';

export const askingRoom: Room = {
  id: 'asking',
  rail: { title: 'asking.rail', icon: MessagesSquareIcon, order: 6, goKey: 'a', path: '/ask' },
  pages: [{ path: '/ask', title: 'asking.title', component: AskingPage }],
};
