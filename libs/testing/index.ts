export { createTestDatabase, type TestDatabase } from './test-database';
export {
  type BusUnderTest,
  CONTRACT_PARTITIONS,
  describeBusContract,
  type Numbered,
  numberedTopic,
} from './bus-contract';
export { type HttpResponse, postJson, RawConnection, sendHttp } from './http-client';
export {
  type AccountRowToInsert,
  insertAccount,
  insertHolders,
  insertSignatures,
  insertTransaction,
  insertTree,
  setIndexedSlot,
} from './store-rows';
export { startTestGateway, TEST_ADDRESS_TREE, type TestGateway } from './test-gateway';
export { TcpLink } from './tcp-link';
export { readGeneratedSlots } from './generated-slots';
export { digestState } from './state-digest';
