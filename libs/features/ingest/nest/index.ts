export { FollowModule, type FollowModuleOptions, FollowTask } from './follow.module';
export { RangeModule, type RangeModuleOptions, RangeTask } from './range.module';
export { RepairModule, type RepairModuleOptions, RepairTask } from './repair.module';
