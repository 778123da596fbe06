export { FollowModule, type FollowModuleOptions, FollowTask } from './follow.module';
export { RangeModule, type RangeModuleOptions, RangeTask } from './range.module';
export { HistoryTask, RepairModule, type RepairModuleOptions, RepairTask } from './repair.module';
export { type HistoryRecheck } from '../history/history.service';
