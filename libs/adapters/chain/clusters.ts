/** A public cluster. All of them run Alpenglow. */
interface Cluster {
  /** The first slot with ZK Compression on it if there is one. */
  firstSlot: number | null;
  /**
   * The slot of the genesis block of Alpenglow: the last block before it. Mainnet's is documented; the others are 4,999 slots after
   * the activation of the feature, as public clients have them.
   */
  alpenglowGenesis: number;
}

/** The public clusters by genesis hash: mainnet, devnet and testnet. */
export const PUBLIC_CLUSTERS: ReadonlyMap<string, Cluster> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', { firstSlot: 286_193_746, alpenglowGenesis: 459_652_999 }],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', { firstSlot: 319_998_226, alpenglowGenesis: 504_148_999 }],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', { firstSlot: null, alpenglowGenesis: 444_625_255 }],
]);
