import './ui.css';

export * from './mantine.ts';
export { Page } from './page.tsx';
export {
  Banner,
  EmptyState,
  ErrorPanel,
  Loading,
  NoMatch,
  QueryState,
  StaleBanner,
  type Problem,
} from './states.tsx';
export { CopyButton } from './copy-button.tsx';
export { ConfirmButton } from './confirm-button.tsx';
export { Bytes, Duration, Num, Percent, When } from './text/numbers.tsx';
export { bytesText, durationText, percentText } from './text/number-text.ts';
export { PhaseChip, StatusDot, Term } from './marks.tsx';
export { TextBlock } from './text/text-block.tsx';
export { visibleString } from './text/visible-text.ts';
export { DataList } from './lists/data-list.tsx';
export { WindowedList } from './lists/windowed-list.tsx';
export { JobLine } from './job-line.tsx';
export { useRoomNavigate, useRoomParameter, useRoomSearch, type Room, type RoomPage } from './room.ts';
export { RunTabs, type RunTab } from './run-tabs.tsx';
