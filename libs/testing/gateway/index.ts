export { startTestGateway, TEST_ADDRESS_TREE, type TestGateway } from './test-gateway';
