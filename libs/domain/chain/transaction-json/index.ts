export { decodeTransactionJson, encodeTransactionJson } from './transaction-json.codec';
