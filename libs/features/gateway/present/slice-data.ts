import { type AccountRecord } from '@fresnel/adapters/store-read';
import { type DataSlice } from '@fresnel/contracts/rpc';

/** The account with a part of its data. The hash of the data remains that of all data. */
export function sliceData(account: AccountRecord, { offset, length }: DataSlice): AccountRecord {
  const { data } = account;
  return { ...account, data: data && { ...data, bytes: data.bytes.subarray(offset, offset + length) } };
}
