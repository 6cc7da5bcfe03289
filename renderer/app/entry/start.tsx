import { Navigate } from '@tanstack/react-router';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { QueryState } from '../../ui/index.ts';
import { FirstLaunch } from './first-launch.tsx';
import { START_PATH } from '../rooms.ts';

const ONE = { limit: 1 };

/** Where the window begins: at the runs, or, in a lab without any, at the ways to begin. */
export function Start() {
  const read = useApiQuery('runs.list', api.runs.list, ONE);
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {({ rows }) => (rows.length === 0 ? <FirstLaunch /> : <Navigate to={START_PATH as never} replace />)}
    </QueryState>
  );
}
