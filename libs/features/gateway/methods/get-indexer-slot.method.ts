import { findIndexedSlot } from '@fresnel/adapters/store-read';
import { getIndexerSlot } from '@fresnel/contracts/rpc';
import { defineMethod } from './method';

export const getIndexerSlotMethod = defineMethod(getIndexerSlot, (_, { reader }) => findIndexedSlot(reader));
