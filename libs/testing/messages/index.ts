export { anySlotEventsMessage, anyTreeUpdatesMessage } from './arbitrary-messages';
export { jsonCodec } from './json-codec';
export { TreeRecords } from './tree-update-records';
