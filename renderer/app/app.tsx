import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient, startLive } from '../data/index.ts';
import { router } from './router.tsx';
import { Surroundings } from './surroundings.tsx';

export function App() {
  useEffect(startLive, []);
  return (
    <Surroundings>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Surroundings>
  );
}
