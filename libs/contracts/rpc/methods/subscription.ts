import { ONE_POINT, SUBSCRIPTION_COST } from '../cost';
import { defineContract } from '../method-contract';
import {
  MAX_FILTER_VALUES,
  readSubscribeParams,
  readUnsubscribeParams,
  SubscribeParamsSchema,
} from '../params/subscription';
import { SubscriptionId } from '../schemas/push-notification';
import { Type } from 'typebox';
import { EXAMPLE_ACCOUNT } from './example-values';

export const compressionSubscribe = defineContract({
  name: 'compressionSubscribe',
  isOverWebSocket: true,
  summary: 'Subscribes to transactions, and returns the id of the subscription.',
  description:
    'The filter is "all", or lists of which any account that a transaction opens or closes has to match any value. ' +
    'Notifications of the method compressionNotification follow. `from` is the cursor of an earlier slot message, of any age, or a ' +
    'slot: then all that was missed is sent first. Transactions after the slot of the cursor are sent again.',
  params: SubscribeParamsSchema,
  positions: ['filter', 'options'],
  parseParams: readSubscribeParams,
  result: SubscriptionId,
  cost: SUBSCRIPTION_COST,
  errors: [
    {
      kind: 'invalidParams',
      when: `the filter is not "all" and has no value, more than ${MAX_FILTER_VALUES} values or a malformed one; an option is unknown or malformed; from is neither a cursor as it was sent nor a slot`,
    },
    {
      kind: 'stateError',
      when: 'nothing is indexed yet, or from is a slot before the first slot of the index, or after the indexed slot',
    },
    { kind: 'tooManyRequests', when: 'the connection has too many subscriptions, or filter values' },
  ],
  example: { params: [{ owners: [EXAMPLE_ACCOUNT.owner] }, { from: { slot: 40 } }], result: 1 },
});

export const compressionUnsubscribe = defineContract({
  name: 'compressionUnsubscribe',
  isOverWebSocket: true,
  summary: 'Ends a subscription. The result is false if the connection has none with this id.',
  params: Type.Tuple([SubscriptionId]),
  positions: ['subscription'],
  parseParams: readUnsubscribeParams,
  result: Type.Boolean(),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'params are not an array of one integer' }],
  example: { params: [1], result: true },
});
