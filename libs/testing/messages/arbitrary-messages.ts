import {
  type PublishedSlot,
  type SlotAdopted,
  type SlotEventsMessage,
  type SlotReverted,
  type TreeUpdatesMessage,
  type Watermark,
} from '@fresnel/contracts/messages';
import { type AttestedRange } from '@fresnel/domain/chain';
import { type CompressionEvent } from '@fresnel/domain/events';
import { type Hash, MAX_U64, type Pubkey, type Signature, type Slot } from '@fresnel/domain/primitives';
import { type SlotEvents, type TreeUpdate } from '@fresnel/domain/state';
import { TREE_TYPES, type TreeChange, type TreeInfo } from '@fresnel/domain/trees';
import fc, { type Arbitrary } from 'fast-check';

// Any value that the types allow.

/** Plain objects with a prototype, like decoded messages. */
const record = <Model>(model: { [Key in keyof Model]: Arbitrary<Model[Key]> }): Arbitrary<Model> =>
  fc.record<Model>(model, { noNullPrototype: true });
const bytes = (length: number, maxLength = length) =>
  fc.uint8Array({ minLength: length, maxLength }).map((array) => Buffer.from(array));
const hash = bytes(32) as Arbitrary<Buffer> as Arbitrary<Hash>;
const pubkey = bytes(32) as Arbitrary<Buffer> as Arbitrary<Pubkey>;
const signature = bytes(64) as Arbitrary<Buffer> as Arbitrary<Signature>;
const u64 = fc.bigInt({ min: 0n, max: MAX_U64 });
const u32 = fc.nat(0xffff_ffff);
const slot = fc.maxSafeNat() as Arbitrary<Slot>;
const text = fc.string({ unit: 'grapheme' });
const list = <Item>(item: Arbitrary<Item>) => fc.array(item, { maxLength: 3 });

const treeInfo: Arbitrary<TreeInfo> = record({
  tree: pubkey,
  queue: pubkey,
  type: fc.constantFrom(...(Object.keys(TREE_TYPES) as (keyof typeof TREE_TYPES)[])),
  height: u32,
  rootHistoryCapacity: u32,
  owner: fc.option(pubkey),
  observed: record({ slot, seq: u64, nextIndex: u64, queueEnd: u64, inputQueueEnd: u64, root: fc.option(hash) }),
});

const element = record({ index: fc.maxSafeNat(), value: hash, nextIndex: fc.maxSafeNat(), nextValue: hash });
const elementUpdate = record({ low: element, lowHash: hash, high: element, highHash: hash });

const body = record({
  owner: pubkey,
  lamports: u64,
  address: fc.option(hash),
  data: fc.option(record({ discriminator: bytes(8), bytes: bytes(0, 40), dataHash: hash })),
});

const event: Arbitrary<CompressionEvent> = fc.oneof(
  record({
    kind: fc.constant('transition' as const),
    format: fc.constantFrom(1 as const, 2 as const),
    inputs: list(
      record({
        hash,
        nullification: fc.option(record({ tree: pubkey, leafIndex: u32, queueIndex: u64, txHash: hash })),
      }),
    ),
    outputs: list(
      record({
        hash,
        leafIndex: u32,
        treeAccount: pubkey,
        body: fc.option(body),
        ataOwner: fc.option(pubkey),
      }),
    ),
    newAddresses: list(record({ address: hash, tree: pubkey, queueIndex: fc.option(u64) })),
    sequenceNumbers: list(record({ tree: pubkey, seq: u64 })),
  }),
  record({ kind: fc.constant('leaves-nullified' as const), tree: pubkey, leafIndices: list(u64), seq: u64 }),
  record({ kind: fc.constant('leaf-migrated' as const), queue: pubkey, hash }),
  record({
    kind: fc.constant('addresses-inserted' as const),
    tree: pubkey,
    updates: list(elementUpdate),
    seq: u64,
  }),
  record({
    kind: fc.constantFrom('batch-append' as const, 'batch-nullify' as const, 'batch-address-append' as const),
    tree: pubkey,
    batchIndex: u64,
    zkpBatchIndex: u64,
    zkpBatchSize: u64,
    oldNextIndex: u64,
    newNextIndex: u64,
    newRoot: hash,
    rootIndex: u32,
    seq: u64,
    outputQueue: fc.option(pubkey),
  }),
);

const blockRef = record({ slot, blockhash: hash });

const slotAdopted: Arbitrary<SlotAdopted> = record({
  kind: fc.constant('slot-adopted' as const),
  slot,
  blockhash: hash,
});

const slotReverted: Arbitrary<SlotReverted> = fc.record(
  {
    kind: fc.constant('slot-reverted' as const),
    slot,
    blockhash: hash,
    forkPoint: blockRef,
  },
  { requiredKeys: ['kind', 'slot', 'blockhash'], noNullPrototype: true },
);

const attested: Arbitrary<AttestedRange> = record({ from: slot, source: text, transactions: fc.maxSafeNat() });

const slotEvents: Arbitrary<SlotEvents> = fc
  .record({
    slot,
    parentSlot: slot,
    blockhash: hash,
    parentBlockhash: hash,
    blockTime: fc.maxSafeInteger(),
    blockHeight: fc.option(fc.maxSafeNat()),
    isFirst: fc.boolean(),
    transactions: list(record({ signature, index: u32, events: list(event), json: text })),
    trees: list(treeInfo),
    deadLetters: list(record({ signature: fc.option(signature), index: u32, reasons: list(text), json: text })),
    signatures: fc.option(list(signature)),
  })
  .chain((events) => fc.option(attested).map((range) => (range ? { ...events, attested: range } : { ...events })));

const publishedSlot: Arbitrary<PublishedSlot> = fc.record(
  {
    kind: fc.constant('slot' as const),
    events: slotEvents,
    isOfRange: fc.boolean(),
    previousChange: blockRef,
  },
  { requiredKeys: ['kind', 'events', 'isOfRange'], noNullPrototype: true },
);

/** Any message of `slot-events`. */
export const anySlotEventsMessage: Arbitrary<SlotEventsMessage> = fc.oneof(
  publishedSlot,
  record({ kind: fc.constant('tip' as const), slot, seenAt: fc.date({ noInvalidDate: true }) }),
  slotReverted,
  slotAdopted,
);

const batch = { seq: u64, oldNextIndex: u64, newNextIndex: u64, newRoot: hash };
const leaf = { leafIndex: fc.maxSafeNat(), hash };

const change: Arbitrary<TreeChange> = fc.oneof(
  record({ kind: fc.constant('address-insert' as const), seq: u64, updates: list(elementUpdate) }),
  record({ kind: fc.constant('address-queued' as const), address: hash, queueIndex: u64 }),
  record({ kind: fc.constant('address-batch' as const), ...batch }),
  record({ kind: fc.constant('leaves-appended' as const), seq: u64, leaves: list(record(leaf)) }),
  record({ kind: fc.constant('leaves-nullified' as const), seq: u64, leafIndices: list(fc.maxSafeNat()) }),
  record({ kind: fc.constant('leaf-queued' as const), ...leaf }),
  record({ kind: fc.constant('leaf-migrated' as const), hash }),
  record({ kind: fc.constant('leaf-migrated' as const), ...leaf }),
  record({ kind: fc.constant('nullifier-queued' as const), queueIndex: u64, ...leaf, txHash: hash }),
  record({ kind: fc.constantFrom('append-batch' as const, 'nullify-batch' as const), ...batch }),
);

const blockLink = { slot, blockhash: hash, parentSlot: slot, parentBlockhash: hash };

const update: Arbitrary<TreeUpdate> = record({ ...blockLink, tree: treeInfo, changes: list(change) });

const watermark: Arbitrary<Watermark> = record({
  kind: fc.constant('watermark' as const),
  ...blockLink,
  previousChange: fc.option(blockRef),
  silentBlocks: fc.array(blockRef, { maxLength: 3 }),
  changesTrees: fc.boolean(),
});

/** Any message of `tree-updates`. */
export const anyTreeUpdatesMessage: Arbitrary<TreeUpdatesMessage> = fc.oneof(
  record({
    kind: fc.constant('update' as const),
    update,
    previousChange: fc.option(blockRef),
    silentBlocks: fc.array(blockRef, { maxLength: 3 }),
    isRepublished: fc.boolean(),
  }),
  watermark,
  slotReverted,
  slotAdopted,
);
